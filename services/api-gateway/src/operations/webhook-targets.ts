import { verifyWebhook } from '@posthorn/contracts/commands/verify'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type { WebhookTargetTest } from '@posthorn/contracts/schemas/webhook-target-test'
import { validationError } from '@posthorn/contracts/validate'
import { type Db, readSettings } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sealLogin } from '@posthorn/secrets'
import { requestTimeout } from '../http/call-worker.ts'
import { handle } from '../http/handle.ts'
import { mask, unknownMask, unmaskUrl } from '../http/masks.ts'
import { getShard } from '../store/accounts.ts'
import type { OperationDeps } from './operation-deps.ts'

/**
 * Minimum timeout of a test of a webhook target: the default timeout of a call to a webhook target
 * (`SVC_WEBHOOK_TIMEOUT`, 30 s), and time for the reply of webhook-dispatcher.
 */
const minTimeoutMs = 35_000

type TargetTestDeps = Pick<OperationDeps, 'db' | 'bus' | 'sealer' | 'timeoutMs'>

/** Lets a webhook-dispatcher send a test event to a webhook target. Stores nothing. */
export function onTestWebhookTarget({ db, bus, sealer, timeoutMs }: TargetTestDeps) {
  return handle(operations.testWebhookTarget, async ({ body, headers, signal }) => {
    const { account } = body
    await assertTestable(db, body)
    const url = await resolveUrl(db, body.url)
    const sealed = url === undefined ? undefined : await sealLogin(url, sealer)
    const minimum = { timeoutMs: Math.max(minTimeoutMs, timeoutMs) }
    const options = { key: 'verify.webhook', timeoutMs: requestTimeout(minimum, headers), signal }
    const reply = await bus.request(verifyWebhook, defined({ url: sealed, account }), options)
    if (reply.result) return reply.result
    throw new AppError(
      'invalid',
      'No webhook target is configured: send url, or set the setting webhooks or webhooks of the account',
      { code: 'UnsupportedOperation' },
    )
  })
}

/**
 * Checks that the request to test a webhook target names one target: a URL, or an existing account.
 * @throws AppError `invalid` for two targets, `not-found` for an unknown account
 */
async function assertTestable(db: Db, { url, account }: WebhookTargetTest): Promise<void> {
  if (account === undefined) return
  if (url !== undefined)
    throw validationError([fieldError('account', 'must not be combined with url')])
  await getShard(db, account)
}

/**
 * URL of the webhook target to test. A masked URL, as responses contain it, stands for the stored
 * default target.
 * @throws AppError `invalid` for a masked URL of another target
 */
async function resolveUrl(db: Db, input: string | undefined): Promise<string | undefined> {
  if (!input?.includes(mask)) return input
  const { webhooks } = await readSettings(db)
  const url = unmaskUrl(input, webhooks)
  if (url === undefined) throw validationError([fieldError('url', unknownMask)])
  return url
}

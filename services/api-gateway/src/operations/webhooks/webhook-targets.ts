import { verifyWebhook } from '@posthorn/contracts/commands/verify'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type { WebhookTarget } from '@posthorn/contracts/schemas/webhook-target'
import type { WebhookTargetTest } from '@posthorn/contracts/schemas/webhook-target-test'
import { filterAddress, optionsByAddress, targetAddress } from '@posthorn/contracts/target-address'
import { validationError } from '@posthorn/contracts/validate'
import { type Db, readSettings } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sealLogin } from '@posthorn/secrets'
import { requestTimeout } from '../../http/call-worker.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { mask, unknownMask, unmaskUrl } from '../../http/masks.ts'
import { getShard } from '../../store/accounts/accounts.ts'
import { listTargets, type TargetRow } from '../../store/webhooks/webhook-targets.ts'
import type { OperationDeps } from '../operation-deps.ts'

/**
 * Minimum timeout of a test of a webhook target: the default timeout of a call to a webhook target
 * (`SVC_WEBHOOK_TIMEOUT`, 30 s), and time for the reply of webhook-dispatcher.
 */
const minTimeoutMs = 35_000

type TargetTestDeps = Pick<OperationDeps, 'db' | 'bus' | 'sealer' | 'timeoutMs'>

/** Operations on webhook targets. */
export function webhookTargetHandlers(deps: TargetTestDeps): OperationHandler[] {
  return [onListWebhookTargets(deps), onTestWebhookTarget(deps)]
}

function onListWebhookTargets({ db }: { db: Db }) {
  return handle(operations.listWebhookTargets, async ({ query }) => {
    const { pageSize = 20, address, ...page } = query
    const { webhooks, webhookTargets } = await readSettings(db)
    const options = optionsByAddress(webhookTargets)
    const byDefault = webhooks ? targetAddress(webhooks) : undefined
    const configured = [...options.keys(), ...(byDefault === undefined ? [] : [byDefault])]
    const { targets, nextCursor } = await listTargets(db, {
      ...page,
      ...(address !== undefined && { address: filterAddress(address) }),
      pageSize,
      configured,
    })
    return {
      targets: targets.map((row) => ({
        ...describeTarget(row),
        isDefault: row.address === byDefault,
        paused: options.get(row.address)?.paused === true,
      })),
      nextCursor,
    }
  })
}

function describeTarget(row: TargetRow): Omit<WebhookTarget, 'isDefault' | 'paused'> {
  const { address, due, oldestDueAt, failed, p95Ms } = row
  const { hourDelivered, hourFailed, hourRetried } = row
  return {
    address,
    due,
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
    failed,
    lastHour: { delivered: hourDelivered, failed: hourFailed, retried: hourRetried, p95Ms },
    lastResponse: describeLastResponse(row),
  }
}

function describeLastResponse(row: TargetRow): WebhookTarget['lastResponse'] {
  const { delivery, at, durationMs, outcome, status, error, response } = row
  if (delivery === null || at === null) return null
  const result = { outcome, status, error, response }
  return { delivery, at: at.toISOString(), durationMs: durationMs ?? 0, ...result }
}

/** Lets a webhook-dispatcher send a test event to a webhook target. Stores nothing. */
function onTestWebhookTarget({ db, bus, sealer, timeoutMs }: TargetTestDeps) {
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

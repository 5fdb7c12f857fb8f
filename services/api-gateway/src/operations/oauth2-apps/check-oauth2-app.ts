import type { Bus } from '@posthorn/bus'
import { defined, type OAuth2CheckStep, operations, verifyOAuth2App } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { requestTimeout } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import { findAccount } from '../../store/account-records.ts'
import { getApp } from '../../store/oauth2-apps.ts'

export interface CheckAppDeps {
  db: Db
  bus: Bus
  timeoutMs: number
}

/** Minimum timeout: auth-bridge calls the provider up to twice. */
const minTimeoutMs = 20_000

/** Checks an application with auth-bridge and adds the state of the account's mailbox. */
export function onCheckOAuth2App({ db, bus, timeoutMs }: CheckAppDeps) {
  return handle(operations.checkOAuth2App, async ({ params, body, headers, signal }) => {
    const { app } = params
    const { account, testConnection = true } = body
    const row = await getApp(db, app)
    const minimum = { timeoutMs: Math.max(minTimeoutMs, timeoutMs) }
    const options = { key: 'credentials', timeoutMs: requestTimeout(minimum, headers), signal }
    const reply = await bus.request(verifyOAuth2App, { app, ...defined({ account }) }, options)
    const steps = [...reply.steps, await mailboxStep(db, testConnection ? account : undefined)]
    return {
      app,
      provider: row.provider,
      authMethod: row.config.authMethod ?? null,
      account: account ?? null,
      ok: steps.every(({ status }) => status !== 'fail'),
      steps,
    }
  })
}

/** Reports the state of the account's session. No additional login. */
async function mailboxStep(db: Db, account: string | undefined): Promise<OAuth2CheckStep> {
  const step = { id: 'mailbox', label: 'The mailbox of the account is connected' }
  const row = account === undefined ? undefined : await findAccount(db, account)
  if (!row) return { ...step, status: 'skip', message: 'No registered account was named' }
  const { state, lastError } = row
  if (state === 'connected' || state === 'syncing') return { ...step, status: 'ok', message: state }
  const failed = state === 'authenticationError' || state === 'connectError'
  return {
    ...step,
    status: failed ? 'fail' : 'skip',
    message: (failed && lastError?.response) || `The account is in the state ${state ?? 'new'}`,
  }
}

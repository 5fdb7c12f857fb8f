import type { Bus } from '@posthorn/bus'
import { type OAuth2CheckStep, operations, verifyOAuth2App } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { findAccount } from '../../store/accounts.ts'
import { appNotFound, findApp } from '../../store/oauth2-apps.ts'
import { handle } from '../../http/route.ts'

export interface Deps {
  db: Db
  bus: Bus
  timeoutMs: number
}

/** A provider is asked up to twice, each time for as long as it may take. */
const leastMs = 20_000

/** Has auth-bridge try the application, and adds how the account's mailbox is doing. */
export function onCheckOAuth2App({ db, bus, timeoutMs }: Deps) {
  return handle(operations.checkOAuth2App, async ({ params, body, headers, signal }) => {
    const { app } = params
    const { account, testConnection = true } = body
    const row = await findApp(db, app)
    if (!row) throw appNotFound()
    const limit = Math.max(leastMs, timeoutMs, headers['x-svc-timeout'] ?? 0)
    const { steps } = await bus.request(
      verifyOAuth2App,
      { app, ...(account === undefined ? {} : { account }) },
      { key: 'credentials', timeoutMs: limit, signal },
    )
    const all = [...steps, await mailboxStep(db, testConnection ? account : undefined)]
    return {
      app,
      provider: row.provider,
      authMethod: row.config.authMethod ?? null,
      account: account ?? null,
      ok: all.every(({ status }) => status !== 'fail'),
      steps: all,
    }
  })
}

/** The mailbox is logged in to all the time: what came of that last is told, nobody logs in for this. */
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

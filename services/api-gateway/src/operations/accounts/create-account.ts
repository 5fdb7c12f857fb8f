import type { Bus } from '@posthorn/bus'
import { type AccountRegistration, defined, operations } from '@posthorn/contracts'
import { type Db, publishEvents, type SettingsCache } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { planAccount } from '../../accounts/plan-account.ts'
import { findAppFor } from '../../accounts/plan-oauth2.ts'
import { newAccountId, register } from '../../accounts/register.ts'
import { sealRegistration } from '../../accounts/seal-account.ts'
import type { TaskGroup } from '@posthorn/flow'
import { handle } from '../../http/handle.ts'
import { startSignIn } from '../../accounts/start-sign-in.ts'
import { inTransaction } from '../../store/transaction.ts'

export interface CreateAccountDeps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: TaskGroup
  timeoutMs: number
}

/** Registers or changes an account. Of concurrent requests with a new id, one returns `new`. */
export function onCreateAccount(deps: CreateAccountDeps) {
  const { db, bus, sealer, settings, tasks } = deps
  return handle(operations.createAccount, async ({ body }) => {
    const account = body.account ?? newAccountId()
    if (body.oauth2 && body.oauth2.authorize)
      return { redirect: await startConsent(deps, account, body) }
    const { serviceUrl = null } = await settings.get()
    const events = await inTransaction(db, (tx) =>
      register(tx, { account, body, sealer, serviceUrl }),
    )
    tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events ?? []))
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account, state: events ? ('new' as const) : ('existing' as const) }
  })
}

/** Stores a registration until the owner consents. Returns the URL of the consent page. */
async function startConsent(
  deps: CreateAccountDeps,
  account: string,
  { account: _account, ...input }: AccountRegistration,
): Promise<string> {
  const body = await sealRegistration(input, { account, sealer: deps.sealer })
  const { oauth2, expectedEmail, email } = body
  const { provider = '', redirectUrl = '', auth } = oauth2 || {}
  // Errors are reported now: the client receives no response when the owner returns.
  await inTransaction(deps.db, async (tx) => {
    planAccount(input, undefined, await findAppFor(tx, oauth2, undefined))
  })
  const loginHint = expectedEmail ?? auth?.user ?? email
  const registration = { account, body, redirectUrl }
  return startSignIn(deps, { app: provider, registration, ...defined({ loginHint }) })
}

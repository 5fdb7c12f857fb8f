import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import { type Db, publishEvents, type SettingsCache } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'
import { startConsent } from './ask-for-consent.ts'
import { newAccountId, register } from '../../accounts/register.ts'

export interface Deps {
  db: Db
  bus: Bus
  sealer: Sealer
  settings: SettingsCache
  tasks: BackgroundTasks
  timeoutMs: number
}

/** Registers an account or changes the one there is. Of two requests at once that bring a new id, exactly one is told `new`. */
export function onCreateAccount({ db, bus, sealer, settings, tasks, timeoutMs }: Deps) {
  return handle(operations.createAccount, async ({ body }) => {
    const account = body.account ?? newAccountId()
    if (body.oauth2 && body.oauth2.authorize)
      return { redirect: await startConsent({ db, bus, sealer, timeoutMs }, account, body) }
    const { serviceUrl = null } = await settings.get()
    const events = await inTransaction(db, (tx) =>
      register(tx, { account, body, sealer, serviceUrl }),
    )
    tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events ?? []))
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account, state: events ? ('new' as const) : ('existing' as const) }
  })
}

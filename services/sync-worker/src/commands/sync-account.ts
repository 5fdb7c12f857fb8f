import { type CommandHandler, on } from '@posthorn/bus'
import { syncAccount } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'

/** Wakes the session that watches the account. Asked for again before that looked, it is the same look. */
export function onSyncAccount(deps: CommandDeps): CommandHandler {
  return on(syncAccount, async ({ account }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    session.requestFullSync()
    return { sync: true as const }
  })
}

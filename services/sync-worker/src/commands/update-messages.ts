import { type CommandHandler, on } from '@posthorn/bus'
import { updateMessages } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'
import { updateMatches } from './update-matches.ts'
import { applyUpdate, assertLabelSupport, updateResult } from './change-message.ts'
import { getMailbox } from './mailbox.ts'

/** Changes flags and labels of all that a search in a folder finds. */
export function onUpdateMessages(deps: CommandDeps): CommandHandler {
  return on(updateMessages, async ({ account, path, search, update }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const row = await getMailbox(deps.db, account, path)
    try {
      const { count, ...emailIds } = await updateMatches(
        { session, account, signal },
        { row, search, check: (mail) => assertLabelSupport(mail, update) },
        (mail, uids) => applyUpdate(mail, uids, update),
      )
      return { ...updateResult(update, count > 0), ...emailIds }
    } finally {
      session.requestSync([row.id])
    }
  })
}

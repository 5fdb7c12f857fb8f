import { type CommandHandler, on } from '@posthorn/bus'
import { updateMessages } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, sessionOf } from './account.ts'
import { changeFound } from './change-found.ts'
import { applyUpdate, assertLabels, resultOf } from './change-message.ts'
import { getMailbox } from './mailbox.ts'

/** Changes flags and labels of all that a search in a folder finds. */
export function onUpdateMessages(deps: CommandDeps): CommandHandler {
  return on(updateMessages, async ({ account, path, search, update }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const row = await getMailbox(deps.db, account, path)
    try {
      const { count, ...emailIds } = await changeFound(
        { session, account, signal },
        { row, search, check: (mail) => assertLabels(mail, update) },
        (mail, uids) => applyUpdate(mail, uids, update),
      )
      return { ...resultOf(update, count > 0), ...emailIds }
    } finally {
      session.lookAt([row.id])
    }
  })
}

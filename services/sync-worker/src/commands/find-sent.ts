import { type CommandHandler, on } from '@posthorn/bus'
import { findSent } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, sessionOf, withMailServer } from './account.ts'
import { getSentFolder, holdsMessage } from './sent-folder.ts'

/** Looks for a message where the server files what it has sent. */
export function onFindSent(deps: CommandDeps): CommandHandler {
  return on(findSent, async ({ account, messageId, sentMailPath }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { row } = await getSentFolder(deps.db, account, sentMailPath)
    const found = await withMailServer(session, { signal, mailbox: row.path }, (mail) =>
      holdsMessage(mail, row, messageId),
    )
    return { found }
  })
}

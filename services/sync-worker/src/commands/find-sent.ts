import { type CommandHandler, on } from '@posthorn/bus'
import { findSent } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { getSentMailbox, containsMessage } from './sent-mailbox.ts'

/** Looks for a message where the server files what it has sent. */
export function onFindSent(deps: CommandDeps): CommandHandler {
  return on(findSent, async ({ account, messageId, sentMailPath }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { row } = await getSentMailbox(deps.db, account, sentMailPath)
    const found = await withMailSession(session, { signal, mailbox: row.path }, (mail) =>
      containsMessage(mail, row, messageId),
    )
    return { found }
  })
}

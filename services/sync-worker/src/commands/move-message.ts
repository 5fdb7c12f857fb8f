import { type CommandHandler, on } from '@posthorn/bus'
import { moveMessage } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { getDestination, movedMessageId, prepareChange } from './change-message.ts'
import { locateMessage, messageNotFound } from './mailbox.ts'

/** Moves a message. Where the server tells its new UID (UIDPLUS), its new id is answered. */
export function onMoveMessage(deps: CommandDeps): CommandHandler {
  return on(moveMessage, async ({ account, message, path }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const destination = await getDestination(deps, { session, account, signal }, path)
    const errand = { signal, mailbox: row.path, prepare: prepareChange({ row, uid }) }
    const moved = await withMailSession(session, errand, async (mail) => {
      try {
        return await mail.moveMessages([[uid, uid]], destination.path)
      } finally {
        session.requestSync([row.id, destination.id])
      }
    })
    const now = moved.uids?.get(uid)
    if (moved.uids && now === undefined) throw messageNotFound()
    const id = movedMessageId(destination, moved)(uid)
    return {
      path: destination.path,
      ...(id === undefined ? {} : { id }),
      ...(now === undefined ? {} : { uid: now }),
    }
  })
}

import { type CommandHandler, on } from '@posthorn/bus'
import { deleteMessage } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { deletePermanently, findTrash, movedMessageId, prepareChange } from './change-message.ts'
import { locateMessage } from './mailbox.ts'

/** Moves a message to the trash. One that is there already, or is to be gone for good, is expunged, as is one of an account without trash. */
export function onDeleteMessage(deps: CommandDeps): CommandHandler {
  return on(deleteMessage, async ({ account, message, force }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const trash = await findTrash(deps, account)
    const errand = { signal, mailbox: row.path, prepare: prepareChange({ row, uid }) }
    return withMailSession(session, errand, async (mail) => {
      try {
        if (force || !trash || trash.id === row.id) {
          await deletePermanently(mail, [[uid, uid]], { row, trash })
          return { deleted: true }
        }
        const id = movedMessageId(trash, await mail.moveMessages([[uid, uid]], trash.path))(uid)
        const moved = { destination: trash.path, ...(id === undefined ? {} : { message: id }) }
        return { deleted: false, moved }
      } finally {
        session.requestSync([row.id, ...(trash ? [trash.id] : [])])
      }
    })
  })
}

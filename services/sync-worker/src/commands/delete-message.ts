import { type CommandHandler, on } from '@posthorn/bus'
import { deleteMessage } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, sessionOf, withMailServer } from './account.ts'
import { expunge, findTrash, newIdIn, readyToChange } from './change-message.ts'
import { locateMessage } from './mailbox.ts'

/** Moves a message to the trash. One that is there already, or is to be gone for good, is expunged, as is one of an account without trash. */
export function onDeleteMessage(deps: CommandDeps): CommandHandler {
  return on(deleteMessage, async ({ account, message, force }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const trash = await findTrash(deps, account)
    const errand = { signal, mailbox: row.path, ready: readyToChange({ row, uid }) }
    return withMailServer(session, errand, async (mail) => {
      try {
        if (force || !trash || trash.id === row.id) {
          await expunge(mail, [[uid, uid]], { row, trash })
          return { deleted: true }
        }
        const id = newIdIn(trash, await mail.moveMessages([[uid, uid]], trash.path))(uid)
        const moved = { destination: trash.path, ...(id === undefined ? {} : { message: id }) }
        return { deleted: false, moved }
      } finally {
        session.lookAt([row.id, ...(trash ? [trash.id] : [])])
      }
    })
  })
}

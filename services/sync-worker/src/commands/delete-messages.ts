import { type CommandHandler, on } from '@posthorn/bus'
import { deleteMessages } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'
import { updateMatches, IdMap } from './update-matches.ts'
import { deletePermanently, findTrash } from './change-message.ts'
import { getMailbox } from './mailbox.ts'

/** Moves all that a search in a folder finds to the trash, or deletes it for good, as `deleteMessage` does with one. */
export function onDeleteMessages(deps: CommandDeps): CommandHandler {
  return on(deleteMessages, async ({ account, path, search, force }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const changing = { session, account, signal }
    const row = await getMailbox(deps.db, account, path)
    const trash = await findTrash(deps, account)
    try {
      if (force || !trash || trash.id === row.id) {
        const { count, ...emailIds } = await updateMatches(
          changing,
          { row, search },
          (mail, uids) => deletePermanently(mail, uids, { row, trash }),
        )
        const deletedMessages = emailIds.emailIds ? { deletedMessages: emailIds } : {}
        return { deleted: count > 0, ...deletedMessages }
      }
      const ids = new IdMap(row, trash)
      const { count: _count, ...emailIds } = await updateMatches(
        changing,
        { row, search },
        async (mail, uids) => ids.add(await mail.moveMessages(uids, trash.path)),
      )
      return {
        deleted: false,
        moved: { destination: trash.path, ...ids.member, ...emailIds },
      }
    } finally {
      session.requestSync([row.id, ...(trash ? [trash.id] : [])])
    }
  })
}

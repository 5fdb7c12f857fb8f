import { type CommandHandler, on } from '@posthorn/bus'
import { moveMessages } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'
import { updateMatches, IdMap } from './update-matches.ts'
import { getDestination } from './change-message.ts'
import { getMailbox } from './mailbox.ts'

/** Moves all that a search in a folder finds to another one. */
export function onMoveMessages(deps: CommandDeps): CommandHandler {
  return on(moveMessages, async ({ account, path, search, destination }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const changing = { session, account, signal }
    const row = await getMailbox(deps.db, account, path)
    const to = await getDestination(deps, changing, destination)
    const ids = new IdMap(row, to)
    try {
      const { count: _count, ...emailIds } = await updateMatches(
        changing,
        { row, search },
        async (mail, uids) => ids.add(await mail.moveMessages(uids, to.path)),
      )
      return { path: to.path, ...ids.member, ...emailIds }
    } finally {
      session.requestSync([row.id, to.id])
    }
  })
}

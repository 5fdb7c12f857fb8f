import { type CommandHandler, on } from '@posthorn/bus'
import { deleteMailbox } from '@posthorn/contracts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { resolveMailbox } from './change-mailbox.ts'

/** Deletes a folder with what is in it. That it is gone is told by the listing that follows. */
export function onDeleteMailbox(deps: CommandDeps): CommandHandler {
  return on(deleteMailbox, async ({ account, path: asked }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { path, mailboxId } = await resolveMailbox(deps, { session, account, signal }, asked)
    const errand = { signal, prepare: (mail: { ping(): Promise<void> }) => mail.ping() }
    await withMailSession(session, errand, (mail) =>
      session.changeMailboxes(mail, async () => ({
        done: await mail.deleteMailbox(path),
        applied: { deleted: path },
      })),
    )
    return { path, ...(mailboxId === null ? {} : { mailboxId }), deleted: true }
  })
}

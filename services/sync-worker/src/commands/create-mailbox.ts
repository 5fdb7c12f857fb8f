import { type CommandHandler, on } from '@posthorn/bus'
import { createMailbox } from '@posthorn/contracts'
import { type CommandDeps, getSession, withMailSession } from './account.ts'
import { toFieldError } from './change-mailbox.ts'

/** Makes a folder, and lists the folders again: the sync finds it, and tells of it as of anybody's. */
export function onCreateMailbox(deps: CommandDeps): CommandHandler {
  return on(createMailbox, async ({ account, path }, { signal }) => {
    const session = getSession(deps, account)
    const errand = { signal, prepare: (mail: { ping(): Promise<void> }) => mail.ping() }
    return withMailSession(session, errand, (mail) =>
      session.changeMailboxes(mail, async () => {
        try {
          const created = await mail.createMailbox(path)
          return { done: created, applied: { created } }
        } catch (error) {
          throw toFieldError(error, 'path')
        }
      }),
    )
  })
}

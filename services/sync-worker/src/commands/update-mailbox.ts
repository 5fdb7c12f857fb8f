import type { MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { type CommandRequest, type CommandResponse, updateMailbox } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import { assertConnected, type CommandDeps, getSession, withMailSession } from './account.ts'
import { toFieldError, getListedMailbox, resolveMailbox } from './change-mailbox.ts'

type Request = CommandRequest<typeof updateMailbox>
type Response = CommandResponse<typeof updateMailbox>

/** Renames a folder, with what is below it, and then subscribes to it or ends that. */
export function onUpdateMailbox(deps: CommandDeps): CommandHandler {
  return on(updateMailbox, async (request, { signal }) => {
    const { account } = request
    const session = getSession(deps, account)
    assertConnected(session)
    // A subscription is also taken to what is not there (RFC 9051 §6.3.7); a rename is not.
    const look = request.newPath === undefined ? getListedMailbox : resolveMailbox
    const row = await look(deps, { session, account, signal }, request.path)
    const errand = { signal, prepare: (mail: MailSession) => mail.ping() }
    return withMailSession(session, errand, (mail) => update(session, mail, { row, request }))
  })
}

async function update(
  session: AccountSession,
  mail: MailSession,
  { row, request }: { row: Awaited<ReturnType<typeof resolveMailbox>>; request: Request },
): Promise<Response> {
  const { path, mailboxId } = row
  const response = await session.changeMailboxes(mail, async () => {
    const newPath = await rename(mail, path, request.newPath)
    const subscribed = await subscribe(mail, newPath ?? path, {
      subscribed: request.subscribed,
      renamed: newPath !== undefined,
    })
    return {
      done: {
        ...(newPath === undefined ? {} : { newPath, renamed: true }),
        ...(subscribed === undefined ? {} : { subscribed }),
      },
      applied: newPath === undefined ? {} : { renamed: { from: path, to: newPath } },
    }
  })
  // What was in the inbox is elsewhere now, but the inbox stays.
  if (response.renamed && row.id !== undefined) session.requestSync([row.id])
  return { path, ...response, ...(mailboxId === null ? {} : { mailboxId }) }
}

async function rename(
  mail: MailSession,
  path: string,
  newPath: Request['newPath'],
): Promise<string | undefined> {
  if (newPath === undefined) return undefined
  try {
    return await mail.renameMailbox(path, newPath)
  } catch (error) {
    throw toFieldError(error, 'newPath')
  }
}

/** A refusal after a rename cannot undo it: then the answer says that the subscription is as it was not asked for. */
async function subscribe(
  mail: MailSession,
  path: string,
  { subscribed, renamed }: { subscribed: boolean | undefined; renamed: boolean },
): Promise<boolean | undefined> {
  if (subscribed === undefined) return undefined
  try {
    await mail.subscribe(path, subscribed)
    return subscribed
  } catch (error) {
    if (renamed && error instanceof AppError && error.kind === 'rejected') return !subscribed
    throw error
  }
}

import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  getMessage,
  matches,
  type MessageDetail,
  SpecialUse,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { decodeMessageId } from '@posthorn/message-id'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { parseOutline } from '../messages/outline.ts'
import { addCategories } from '../messages/categories.ts'
import { messageEntry } from '../messages/entry.ts'
import { readRequestedText } from '../messages/read-wanted.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { assertConnected, type ReadDeps, getSession, withMailSession } from './account.ts'
import { getMailboxByNumber, messageNotFound, selectMailboxOf, retryAfterNoop } from './mailbox.ts'

type Request = CommandRequest<typeof getMessage>

/** One message with its headers and, when asked for, its text. Marking it as seen comes first, so that its flags say so. */
export function onGetMessage(deps: ReadDeps): CommandHandler {
  return on(getMessage, async (request, { signal }) => {
    const session = getSession(deps, request.account)
    assertConnected(session)
    const { mailbox, uid } = decodeMessageId(request.message)
    const find = () => getMailboxByNumber(deps.db, request.account, mailbox)
    const detail = await deps.mailboxes.use(session, { key: mailbox, find }, (row) =>
      withMailSession(session, { signal, mailbox: row.path }, async (mail) => {
        await selectMailboxOf(mail, row, { readOnly: !request.markAsSeen })
        const message = await retryAfterNoop(mail, async () => {
          if (request.markAsSeen) await mail.changeFlags([[uid, uid]], { add: ['\\Seen'] })
          return fetchMessage(mail, uid, { headers: true })
        })
        const detail = await describe(mail, { row, message }, request)
        await addCategories(mail, [detail], await deps.settings.get())
        return detail
      }),
    )
    const { account } = request
    const [withBounces] = await deps.bounces.addTo(deps.db, { session, account }, [detail])
    return withBounces ?? detail
  })
}

/**
 * @throws AppError `not-found` `MessageNotFound`; `unreachable` where the message is there and the server gives nothing of it: whoever asks
 * may throw away what he has of a message that does not exist.
 */
export async function fetchMessage(
  mail: MailSession,
  uid: number,
  options?: { headers?: boolean },
): Promise<FetchedMessage> {
  const [message] = await Array.fromAsync(mail.fetchMessages([[uid, uid]], options))
  if (message) return message
  if ((await mail.search({ uid: String(uid) })).length === 0) throw messageNotFound()
  throw new AppError('unreachable', 'The mail server does not give the message')
}

async function describe(
  mail: MailSession,
  { row, message }: { row: MailboxRow; message: FetchedMessage },
  request: Request,
): Promise<MessageDetail> {
  const outline = parseOutline(message.bodyStructure)
  const { text, ...entry } = messageEntry(message, row, outline)
  const headers = message.headers ? parseHeaders(message.headers) : {}
  const read = await readRequestedText(mail, { uid: message.uid, outline }, request)
  return {
    ...entry,
    headers,
    ...(text ? { text: { ...text, ...read } } : {}),
    ...(row.specialUse !== null && matches(SpecialUse, row.specialUse)
      ? { specialUse: row.specialUse }
      : {}),
    ...(isAutoReply(headers) ? { isAutoReply: true } : {}),
  }
}

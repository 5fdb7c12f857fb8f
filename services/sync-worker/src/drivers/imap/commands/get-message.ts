import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { type MessageDetail, SpecialUse } from '@posthorn/contracts/schemas/message'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { decodeMessageId, decodeTextId } from '@posthorn/message-id'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { messageEntry } from '../messages/entry.ts'
import { addCategories } from '../messages/gmail.ts'
import { type Outline, parseOutline } from '../messages/outline.ts'
import { type MessageSource, type ReadOptions, readRequestedText } from '../messages/read-text.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import type { AccountCommand } from './account.ts'
import { messageNotFound, readInMailbox } from './mailbox.ts'
import { type ReadDeps, readMailbox } from './read-caches.ts'

/**
 * Reads one message with its headers and, if requested, its text. Sets `\Seen` first if
 * `markAsSeen` is requested, so that the returned flags contain `\Seen`.
 */
export async function getMessage(
  request: AccountRequest<'getMessage'>,
  target: AccountCommand,
  deps: ReadDeps,
): Promise<AccountReply<'getMessage'>> {
  const { mailbox: key, uid } = decodeMessageId(request.message)
  const detail = await readMailbox(deps, { ...target, key }, async (mail, row) => {
    const readOnly = !request.markAsSeen
    const message = await readInMailbox(mail, { row, readOnly }, () =>
      request.markAsSeen ? fetchSeen(mail, uid) : fetchMessage(mail, uid, { headers: true }),
    )
    const source = sourceOf(deps, target, mail)
    const detail = await describeMessage(source, { row, message }, request)
    await addCategories(mail, [detail], await deps.settings.get())
    return detail
  })
  const [withBounces] = await deps.bounces.addTo(deps.db, target, [detail])
  return withBounces ?? detail
}

/** Reads the texts that a text id names. All named MIME parts must be text parts. */
export async function getText(
  { account: _account, text, ...options }: AccountRequest<'getText'>,
  target: AccountCommand,
  deps: ReadDeps,
): Promise<AccountReply<'getText'>> {
  const { mailbox: key, uid, ...named } = decodeTextId(text)
  return readMailbox(deps, { ...target, key }, async (mail, row) => {
    const { bodyStructure, incomplete } = await readInMailbox(mail, { row, readOnly: true }, () =>
      fetchMessage(mail, uid),
    )
    if (incomplete) throw notDescribed()
    const outline = selectTexts(parseOutline(bodyStructure), named)
    const source = sourceOf(deps, target, mail)
    const texts = await readRequestedText(source, { uid, outline }, options)
    if (!options.webSafeHtml) return texts
    const { html = '', hasMore } = texts
    return defined({ html, webSafe: true, hasMore: hasMore || undefined })
  })
}

function sourceOf(
  { reader }: ReadDeps,
  { account, signal }: AccountCommand,
  session: MailSession,
): MessageSource {
  return { session, read: reader.forAccount(account, signal) }
}

/**
 * Fetches one message.
 *
 * @throws AppError `not-found` `MessageNotFound`; `unreachable` if the server lists the message but
 *   returns nothing, because callers may discard data of a message that does not exist
 */
export async function fetchMessage(
  mail: MailSession,
  uid: number,
  options?: { headers?: boolean },
): Promise<FetchedMessage> {
  const fetch = async () => (await Array.fromAsync(mail.fetchMessages([[uid, uid]], options)))[0]
  const message = await fetch()
  if (message) return message
  if ((await mail.search({ uid: String(uid) })).length === 0) throw messageNotFound()
  const listed = await fetch()
  if (listed) return listed
  throw new AppError('unreachable', 'The mail server did not return the message')
}

/**
 * Sets `\Seen` on a message and fetches the message. Repeats both steps if the fetched message does
 * not have the flag: the server did not show the message on this connection when the flag was set.
 */
async function fetchSeen(mail: MailSession, uid: number): Promise<FetchedMessage> {
  const markAndFetch = async () => {
    await mail.changeFlags([[uid, uid]], { add: ['\\Seen'] })
    return fetchMessage(mail, uid, { headers: true })
  }
  const message = await markAndFetch()
  return message.flags.includes('\\Seen') ? message : markAndFetch()
}

/**
 * Error if the server returns no structure of a message whose texts are read. The message has a
 * structure, because a text id was created from it.
 */
function notDescribed(): AppError {
  return new AppError('unavailable', 'The mail server does not describe the message, retry', {
    code: 'IMAPUnavailable',
  })
}

/**
 * Builds the detailed description of a fetched message, with its headers and the requested texts.
 */
export async function describeMessage(
  source: MessageSource,
  { row, message }: { row: MailboxRow; message: FetchedMessage },
  request: ReadOptions,
): Promise<MessageDetail> {
  const { uid } = message
  const { specialUse } = row
  const outline = parseOutline(message.bodyStructure)
  const { text, ...entry } = messageEntry(message, row, outline)
  const headers = message.headers ? parseHeaders(message.headers) : {}
  const texts = text && (await readRequestedText(source, { uid, outline }, request))
  return defined({
    ...entry,
    headers,
    text: text && { ...text, ...texts },
    specialUse: specialUse !== null && matches(SpecialUse, specialUse) ? specialUse : undefined,
    isAutoReply: isAutoReply(headers) || undefined,
  })
}

function selectTexts(outline: Outline, named: { plain: string[]; html: string[] }): Outline {
  const select = (kind: 'plain' | 'html') =>
    outline[kind].filter(({ part }) => named[kind].includes(part))
  return { ...outline, plain: select('plain'), html: select('html') }
}

import type { FetchedMessage, ReadAddress } from '@posthorn/backends'
import type { AttachmentInfo, MessageEntry, TextInfo } from '@posthorn/contracts'
import { encodeAttachmentId, encodeMessageId, encodeTextId } from '@posthorn/message-id'
import { canonicalFlag } from '../index/mailbox-index.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { type AttachedPart, type Outline, parseOutline } from './outline.ts'
import { type GmailMailbox, messageLabels } from './gmail.ts'

export type EntryMailbox = Pick<MailboxRow, 'number'> & GmailMailbox

/** RFC 5322 sets no limit; a subject beyond this is not meant to be read. */
const maxSubject = 10_240

/** A fetched message as lists, details and events show it, without its text. Pure. */
export function messageEntry(
  message: FetchedMessage,
  mailbox: EntryMailbox,
  outline: Outline = parseOutline(message.bodyStructure),
): MessageEntry & { id: string; uid: number; path: string } {
  const { uid, size, envelope, emailId, threadId } = message
  const labels = message.labels && messageLabels(mailbox, message.labels)
  const position = { mailbox: mailbox.number, uid }
  const attachments = outline.attachments.map((part) => attachmentInfo(position, part))
  return {
    id: encodeMessageId(position),
    uid,
    ...given({ emailId, threadId }),
    path: mailbox.path,
    date: dateOf(message),
    ...flagsOf(message),
    size,
    ...given({ subject: envelope.subject?.slice(0, maxSubject) }),
    ...addressesOf(envelope),
    ...given({ messageId: envelope.messageId, inReplyTo: envelope.inReplyTo }),
    ...given({ labels, messageSpecialUse: specialUseOf(mailbox, labels) }),
    ...(attachments.length > 0 ? { attachments } : {}),
    text: textInfo(position, outline),
  }
}

/** The flags of a message, and those that have a field of their own: only there when they are set. */
function flagsOf({ flags: raw }: FetchedMessage) {
  const flags = [...new Set(raw.flatMap((flag) => canonicalFlag(flag) ?? []))].sort()
  return {
    flags,
    ...(flags.includes('\\Seen') ? {} : { unseen: true }),
    ...(flags.includes('\\Flagged') ? { flagged: true } : {}),
    ...(flags.includes('\\Answered') ? { answered: true } : {}),
    ...(flags.includes('\\Draft') ? { draft: true } : {}),
  }
}

/** `sender` and `replyTo` only where they say something else than `from`: RFC 9051 §7.5.2 fills them with it. */
function addressesOf(envelope: FetchedMessage['envelope']) {
  const from = first(envelope.from)
  const sender = first(envelope.sender)
  const replyTo = envelope.replyTo.map(address)
  const repliesElsewhere = !isFrom(replyTo, from ? [from] : []) && !isFrom(replyTo, envelope.from)
  return {
    ...given({ from }),
    ...(sender && !isSameAddress(sender, from) ? { sender } : {}),
    ...(repliesElsewhere ? { replyTo } : {}),
    ...list('to', envelope.to),
    ...list('cc', envelope.cc),
    ...list('bcc', envelope.bcc),
  }
}

function list<K extends string>(
  name: K,
  addresses: readonly ReadAddress[],
): { [_ in K]?: ReadAddress[] } {
  return (addresses.length > 0 ? { [name]: addresses.map(address) } : {}) as {
    [_ in K]?: ReadAddress[]
  }
}

function first([one]: readonly ReadAddress[]): ReadAddress | undefined {
  return one && address(one)
}

function address({ name = '', address = '' }: ReadAddress): ReadAddress {
  return { name, address }
}

function isFrom(replyTo: readonly ReadAddress[], from: readonly ReadAddress[]): boolean {
  return (
    replyTo.length === 0 ||
    (replyTo.length === from.length && replyTo.every((one, at) => isSameAddress(one, from[at])))
  )
}

/** Whether they are one mailbox, whatever name it goes by. */
export function isSameAddress(a: ReadAddress, b: ReadAddress | undefined): boolean {
  return a.address?.toLowerCase() === b?.address?.toLowerCase()
}

/** The date of the envelope where it is one, else when the message came. */
function dateOf({ envelope, internalDate }: FetchedMessage): string {
  return [envelope.date, internalDate].find(isSensible)?.toISOString() ?? new Date(0).toISOString()
}

function isSensible(date: Date | undefined): boolean {
  return date !== undefined && date.getTime() >= 0 && date.getUTCFullYear() <= 9_999
}

type ShownUse = NonNullable<MessageEntry['messageSpecialUse']>

const shownUses: readonly ShownUse[] = ['\\Drafts', '\\Junk', '\\Sent', '\\Trash', '\\Inbox']
/** What Gmail's own labels say, the more telling ones first: a message in its All Mail belongs where they say. */
const usesOfLabels: readonly [label: string, use: ShownUse][] = [
  ['\\draft', '\\Drafts'],
  ['\\drafts', '\\Drafts'],
  ['\\trash', '\\Trash'],
  ['\\spam', '\\Junk'],
  ['\\junk', '\\Junk'],
  ['\\inbox', '\\Inbox'],
  ['\\sent', '\\Sent'],
]

function specialUseOf(
  { specialUse }: EntryMailbox,
  labels: readonly string[] = [],
): ShownUse | undefined {
  const ofMailbox = shownUses.find((use) => use === specialUse)
  if (ofMailbox || labels.length === 0) return ofMailbox
  const given = new Set(labels.map((label) => label.toLowerCase()))
  return usesOfLabels.find(([label]) => given.has(label))?.[1]
}

function textInfo(position: { mailbox: number; uid: number }, { plain, html }: Outline): TextInfo {
  const sum = (parts: readonly { size: number }[]) =>
    parts.reduce((total, { size }) => total + size, 0)
  const numbers = (parts: readonly { part: string }[]) => parts.map(({ part }) => part)
  return {
    id: encodeTextId({ ...position, plain: numbers(plain), html: numbers(html) }),
    encodedSize: {
      ...(plain.length > 0 ? { plain: sum(plain) } : {}),
      ...(html.length > 0 ? { html: sum(html) } : {}),
    },
  }
}

function attachmentInfo(
  position: { mailbox: number; uid: number },
  part: AttachedPart,
): AttachmentInfo {
  const { contentType, size, embedded, inline, contentId, filename, method } = part
  return {
    id: encodeAttachmentId({ ...position, part: part.part }),
    contentType,
    encodedSize: size,
    embedded,
    inline,
    // RFC 2046 §5.2.3: such a part only says where its content is.
    encodedInMessage: contentType !== 'message/external-body',
    ...given({ contentId, filename, method }),
  }
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without the members that are undefined. */
function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Given<T>
}

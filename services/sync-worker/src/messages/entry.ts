import type { FetchedMessage, EnvelopeAddress } from '@posthorn/backends'
import { type AttachmentInfo, defined, type MessageEntry, type TextInfo } from '@posthorn/contracts'
import { encodeAttachmentId, encodeMessageId, encodeTextId } from '@posthorn/message-id'
import { canonicalFlag } from '../index/flag-names.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { type GmailMailbox, messageLabels } from './gmail.ts'
import { type AttachedPart, type Outline, parseOutline } from './outline.ts'

export type EntryMailbox = Pick<MailboxRow, 'number'> & GmailMailbox

/** Subject limit in characters; RFC 5322 sets none. */
const maxSubject = 10_240

/** Converts a fetched message to the entry of lists, details and events, without its text. Pure. */
export function messageEntry(
  message: FetchedMessage,
  mailbox: EntryMailbox,
  outline: Outline = parseOutline(message.bodyStructure),
): MessageEntry & { id: string; uid: number; path: string } {
  const { uid, size, envelope, emailId, threadId } = message
  const labels = message.labels && messageLabels(mailbox, message.labels)
  const position = { mailbox: mailbox.number, uid }
  const attachments = outline.attachments.map((part) => attachmentInfo(position, part))
  return defined({
    id: encodeMessageId(position),
    uid,
    emailId,
    threadId,
    path: mailbox.path,
    date: dateOf(message),
    ...flagsOf(message),
    size,
    subject: envelope.subject?.slice(0, maxSubject),
    ...addressesOf(envelope),
    messageId: envelope.messageId,
    inReplyTo: envelope.inReplyTo,
    labels,
    messageSpecialUse: specialUseOf(mailbox, labels),
    attachments: nonEmpty(attachments),
    text: textInfo(position, outline),
  })
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined
}

/** Flags of a message. Those with a field of their own are present only if set. */
function flagsOf({ flags: raw }: FetchedMessage) {
  const flags = [...new Set(raw.flatMap((flag) => canonicalFlag(flag) ?? []))].sort()
  const isSet = (flag: string) => flags.includes(flag) || undefined
  return {
    flags,
    unseen: !flags.includes('\\Seen') || undefined,
    flagged: isSet('\\Flagged'),
    answered: isSet('\\Answered'),
    draft: isSet('\\Draft'),
  }
}

/** RFC 9051 §7.5.2: servers fill `sender` and `replyTo` from `from`. Equal values are left out. */
function addressesOf(envelope: FetchedMessage['envelope']) {
  const from = firstAddress(envelope.from)
  const sender = firstAddress(envelope.sender)
  const replyTo = envelope.replyTo.map(toAddress)
  const differs = !isFrom(replyTo, from ? [from] : []) && !isFrom(replyTo, envelope.from)
  return {
    from,
    sender: sender && !isSameAddress(sender, from) ? sender : undefined,
    replyTo: differs ? replyTo : undefined,
    to: nonEmpty(envelope.to.map(toAddress)),
    cc: nonEmpty(envelope.cc.map(toAddress)),
    bcc: nonEmpty(envelope.bcc.map(toAddress)),
  }
}

function firstAddress([address]: readonly EnvelopeAddress[]): EnvelopeAddress | undefined {
  return address && toAddress(address)
}

function toAddress({ name = '', address = '' }: EnvelopeAddress): EnvelopeAddress {
  return { name, address }
}

function isFrom(replyTo: readonly EnvelopeAddress[], from: readonly EnvelopeAddress[]): boolean {
  if (replyTo.length === 0) return true
  return replyTo.length === from.length && replyTo.every((a, at) => isSameAddress(a, from[at]))
}

/** True for the same address, ignoring case and display name. */
export function isSameAddress(a: EnvelopeAddress, b: EnvelopeAddress | undefined): boolean {
  return a.address?.toLowerCase() === b?.address?.toLowerCase()
}

/** Date header if valid, else the time of receipt, else the epoch. */
function dateOf({ envelope, internalDate }: FetchedMessage): string {
  return [envelope.date, internalDate].find(isPlausible)?.toISOString() ?? new Date(0).toISOString()
}

function isPlausible(date: Date | undefined): boolean {
  return date !== undefined && date.getTime() >= 0 && date.getUTCFullYear() <= 9_999
}

type EntryUse = NonNullable<MessageEntry['messageSpecialUse']>

const entryUses: readonly EntryUse[] = ['\\Drafts', '\\Junk', '\\Sent', '\\Trash', '\\Inbox']
/** Special uses of Gmail's system labels, most specific first, for messages in All Mail. */
const labelUses: readonly [label: string, use: EntryUse][] = [
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
): EntryUse | undefined {
  const mailboxUse = entryUses.find((use) => use === specialUse)
  if (mailboxUse || labels.length === 0) return mailboxUse
  const names = new Set(labels.map((label) => label.toLowerCase()))
  return labelUses.find(([label]) => names.has(label))?.[1]
}

function textInfo(position: { mailbox: number; uid: number }, { plain, html }: Outline): TextInfo {
  const sum = (parts: readonly { size: number }[]) =>
    parts.length > 0 ? parts.reduce((total, { size }) => total + size, 0) : undefined
  const numbers = (parts: readonly { part: string }[]) => parts.map(({ part }) => part)
  return {
    id: encodeTextId({ ...position, plain: numbers(plain), html: numbers(html) }),
    encodedSize: defined({ plain: sum(plain), html: sum(html) }),
  }
}

function attachmentInfo(
  position: { mailbox: number; uid: number },
  { part, contentType, size, embedded, inline, contentId, filename, method }: AttachedPart,
): AttachmentInfo {
  return defined({
    id: encodeAttachmentId({ ...position, part }),
    contentType,
    encodedSize: size,
    embedded,
    inline,
    // RFC 2046 §5.2.3: an external body is only a reference to content elsewhere.
    encodedInMessage: contentType !== 'message/external-body',
    contentId,
    filename,
    method,
  })
}

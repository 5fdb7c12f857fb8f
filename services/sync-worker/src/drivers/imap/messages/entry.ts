import type { FetchedMessage } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import type { AttachmentInfo, MessageEntry, TextInfo } from '@posthorn/contracts/schemas/message'
import { encodeAttachmentId, encodeMessageId, encodeTextId } from '@posthorn/message-id'
import { canonicalFlags } from '../index/flag-names.ts'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { envelopeFields } from '../../messages/envelope-fields.ts'
import { type GmailMailbox, messageLabels } from './gmail.ts'
import { type AttachedPart, type Outline, parseOutline } from './outline.ts'

export type EntryMailbox = Pick<MailboxRow, 'number'> & GmailMailbox

/**
 * Converts a fetched message to the message entry in lists, details and events. The entry contains
 * no text of the message. If the structure of the message is missing, the entry has no attachments
 * or texts. If the structure is truncated, the entry has the first attachments and texts. Pure.
 */
export function messageEntry(
  message: FetchedMessage,
  mailbox: EntryMailbox,
  outline: Outline = parseOutline(message.bodyStructure),
): MessageEntry & { id: string; uid: number; path: string } {
  const { uid, size, envelope, emailId, threadId, incomplete, truncated } = message
  const labels = message.labels && messageLabels(mailbox, message.labels)
  const position = { mailbox: mailbox.number, uid }
  const attachments = outline.attachments.map((part) => attachmentInfo(position, part))
  return defined({
    id: encodeMessageId(position),
    uid,
    emailId,
    threadId,
    path: mailbox.path,
    ...envelopeFields(envelope, message.internalDate),
    ...flagsOf(message),
    size,
    labels,
    messageSpecialUse: specialUseOf(mailbox, labels),
    ...(incomplete
      ? { incomplete }
      : {
          incomplete: truncated && (true as const),
          incompleteIn: truncated,
          attachments: attachments.length > 0 ? attachments : undefined,
          text: textInfo(position, outline),
        }),
  })
}

/**
 * Flag fields of a message in API responses. Fields for single flags are present only if the flag
 * is set.
 */
function flagsOf({ flags: raw }: FetchedMessage) {
  const flags = canonicalFlags(raw)
  const isSet = (flag: string) => flags.includes(flag) || undefined
  return {
    flags,
    unseen: !flags.includes('\\Seen') || undefined,
    flagged: isSet('\\Flagged'),
    answered: isSet('\\Answered'),
    draft: isSet('\\Draft'),
  }
}

type EntryUse = NonNullable<MessageEntry['messageSpecialUse']>

const entryUses: readonly EntryUse[] = ['\\Drafts', '\\Junk', '\\Sent', '\\Trash', '\\Inbox']
/** Special uses of messages in All Mail by Gmail's system labels, the most specific label first. */
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
    // An external body (RFC 2046 §5.2.3) is only a reference to content outside of the message.
    encodedInMessage: contentType !== 'message/external-body',
    contentId,
    filename,
    method,
  })
}

import { randomUUID } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import { canonicalLines } from './canonical-lines.ts'
import { addPreheader, type AttachedContent, inlineImages } from './compose-html.ts'
import { htmlToText } from './html-to-text.ts'
import { encodeWord, MailComposer } from './nodemailer.ts'
import {
  hasLongWord,
  invalidField,
  rejectInjection,
  requireAddress,
  toSingleLine,
} from './reject-injection.ts'

type NamedAddress = NonNullable<MessageContent['from']>

/**
 * Number of characters per encoded word (RFC 2047) in a message header, equal to the number that
 * nodemailer's composer uses.
 */
const maxEncodedWord = 52

export interface ComposeOptions {
  /**
   * Sender of a composed message whose content does not name a sender, usually the account's own
   * address.
   */
  from: NamedAddress
  date?: Date
  /**
   * Message-ID of a composed message whose content does not contain a Message-ID. Angle brackets
   * are optional.
   */
  messageId?: string
  /**
   * Message-ID of the message to which the new message replies, and all Message-IDs for the
   * References header.
   */
  references?: { inReplyTo: string; references: readonly string[] }
  /** Additional attachments of a composed message, which follow the attachments of its content. */
  attached?: readonly AttachedContent[]
  /**
   * True if the Bcc header of the composed message is to be written. Only for drafts, because a
   * draft is not sent in this form.
   */
  keepBcc?: boolean
  /** Domain for a generated Message-ID if the domain of the sender is invalid. */
  hostname?: string
}

export interface ComposedMessage {
  /**
   * Bytes of a composed message (RFC 5322) with CRLF line ends and without Bcc. All characters are
   * ASCII, except in internationalised addresses.
   */
  mime: Buffer
  /** Message-ID of the composed message with angle brackets. */
  messageId: string
  envelope: { from: string; to: string[] }
}

/**
 * Composes the MIME bytes and the envelope of a message. Reads no file and no URL. Rejects content
 * with which a sender could add headers or SMTP commands.
 *
 * @throws AppError `invalid` with `fields`
 */
export async function composeMessage(
  content: MessageContent,
  options: ComposeOptions,
): Promise<ComposedMessage> {
  const checked = rejectInjection({ ...content, from: content.from ?? options.from })
  const from = checked.from ?? options.from
  const messageId = formatMessageId(
    checked.messageId ?? options.messageId ?? newMessageId(from, options),
  )
  const { bodies, images } = buildBodies(checked)
  const composer = new MailComposer({
    ...optionalHeaders(checked, options),
    from: toComposerAddress(from),
    messageId,
    date: options.date ?? new Date(),
    ...bodies,
    attachments: [
      ...images.map(toComposerAttachment),
      ...(checked.attachments ?? []).map((part) =>
        toComposerAttachment({ ...part, content: Buffer.from(part.content, 'base64') }),
      ),
      ...(options.attached ?? []).map((part) => toComposerAttachment(cleanNames(part))),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const root = composer.compile()
  root.keepBcc = options.keepBcc === true
  const mime = canonicalLines(await root.build())
  return { mime, messageId, envelope: buildEnvelope(checked, from) }
}

/** Optional headers of the composed message, as options for nodemailer's composer. */
export function optionalHeaders(
  content: MessageContent,
  options: Pick<ComposeOptions, 'keepBcc' | 'references'>,
) {
  const { subject } = content
  const { references } = options
  return defined({
    headers: customHeaders(content),
    ...addressLists(content, options),
    // A subject with a word that is longer than a line is encoded (RFC 2047), because only an
    // encoded subject can be folded inside the word.
    subject: subject && hasLongWord(subject) ? encodeWord(subject, 'B', maxEncodedWord) : subject,
    inReplyTo: references?.inReplyTo,
    references: references && [...references.references],
  })
}

export function toComposerAddress({ name, address }: NamedAddress) {
  return { name: name ?? '', address }
}

function addressLists(
  { to, cc, bcc, replyTo }: MessageContent,
  { keepBcc = false }: Pick<ComposeOptions, 'keepBcc'>,
) {
  const list = (addresses: NamedAddress[] = []) =>
    addresses.length > 0 ? addresses.map(toComposerAddress) : undefined
  return defined({
    bcc: keepBcc ? list(bcc) : undefined,
    to: list(to),
    cc: list(cc),
    replyTo: list(replyTo),
  })
}

/**
 * Text bodies of the composed message. An HTML body always gets a plain-text alternative, for
 * clients that cannot show HTML.
 */
function buildBodies({ text, html, previewText = '' }: MessageContent) {
  if (!html) return { bodies: { text: text ?? '' }, images: [] }
  const inlined = inlineImages(html)
  const bodies = {
    text: text || htmlToText(inlined.html),
    html: addPreheader(inlined.html, previewText),
  }
  return { bodies, images: inlined.attached }
}

function customHeaders({ headers = {} }: MessageContent) {
  return Object.entries(headers).flatMap(([key, value]) =>
    [value].flat().map((value) => ({ key, value })),
  )
}

/**
 * Replaces those characters in the names and types of an attachment that some mail software treats
 * as the end of a line.
 */
function cleanNames({ content, contentDisposition, ...names }: AttachedContent): AttachedContent {
  const lines = Object.entries(names).map(([name, value]) => [name, toSingleLine(String(value))])
  return defined({
    ...(Object.fromEntries(lines) as Omit<AttachedContent, 'content'>),
    content,
    contentDisposition,
  })
}

function toComposerAttachment(part: AttachedContent) {
  const { content, contentDisposition } = part
  return defined({
    content,
    filename: part.filename ?? (false as const),
    contentTransferEncoding: 'base64' as const,
    contentType: safeAttachmentType(part.contentType),
    cid: part.cid?.replace(/^<|>$/g, ''),
    contentDisposition,
  })
}

/**
 * Media type of an attachment. Composite and invalid types are replaced by
 * `application/octet-stream`, because content with a composite type must not be encoded in base64
 * (RFC 2045 §6.4).
 */
function safeAttachmentType(type: string | undefined): string | undefined {
  if (type === undefined) return undefined
  const isMediaType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\s*(?:;|$)/i.test(type)
  return isMediaType && !/^(?:multipart|message)\//i.test(type) ? type : 'application/octet-stream'
}

function buildEnvelope({ to, cc, bcc, envelope }: MessageContent, from: NamedAddress) {
  const recipients = [to, cc, bcc].flatMap((list) => (list ?? []).map(({ address }) => address))
  return {
    from: chooseReturnPath(envelope, { address: from.address, path: 'envelope.from' }),
    to: uniqueRecipients(envelope?.to ?? recipients, envelope?.to ? 'envelope.to' : 'to'),
  }
}

/**
 * Return path of a message. Empty if the envelope has an empty sender (RFC 5321 §4.5.5), otherwise
 * the address of the sender.
 *
 * @throws AppError `invalid` that names `path`
 */
export function chooseReturnPath(
  envelope: MessageContent['envelope'],
  sender: { address: string; path: string },
): string {
  if (envelope?.from === '') return ''
  return asciiDomain(requireAddress(envelope?.from ?? sender.address, sender.path))
}

/**
 * Removes recipients that are other spellings of an earlier recipient's address.
 * @throws AppError `invalid` that names `path`
 */
export function uniqueRecipients(addresses: readonly string[], path: string): string[] {
  const recipients = new Map<string, string>()
  for (const address of addresses) {
    const safe = asciiDomain(requireAddress(address, path))
    const key = addressKey(safe)
    if (!recipients.has(key)) recipients.set(key, safe)
  }
  return [...recipients.values()]
}

/**
 * Converts the domain of an email address to ASCII. If the local part is not ASCII, the address is
 * unchanged, because it needs SMTPUTF8 anyway (RFC 6531 §3.2).
 */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  if (domain.startsWith('[') || /[^\x20-\x7e]/.test(local)) return address
  return `${local}@${domainToASCII(domain) || domain}`
}

/** Generates a unique Message-ID with angle brackets. */
export function newMessageId(
  { address }: NamedAddress,
  { hostname }: Pick<ComposeOptions, 'hostname'> = {},
): string {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return `<${randomUUID()}@${domain || hostname || 'localhost'}>`
}

/**
 * Adds angle brackets to a Message-ID. The Message-ID must conform to RFC 5322 §3.6.4 and must not
 * need encoding or folding.
 *
 * @throws AppError `invalid` that names `messageId`
 */
export function formatMessageId(id: string): string {
  const bare = id.replace(/^<|>$/g, '')
  if (!isMessageId(bare)) throw invalidField('messageId', 'must be a Message-ID')
  return `<${bare}>`
}

export function isMessageId(bare: string): boolean {
  return /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/.test(bare) && bare.length <= 994
}

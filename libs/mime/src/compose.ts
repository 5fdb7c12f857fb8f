import { randomUUID } from 'node:crypto'
import { domainToASCII } from 'node:url'
import type { MessageContent } from '@posthorn/contracts'
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import type { AttachedContent } from './attached-content.ts'
import { canonicalLines } from './canonical-lines.ts'
import { htmlToText } from './html-to-text.ts'
import { inlineImages } from './inline-images.ts'
import { addPreheader } from './preheader.ts'
import { hasLongWord, invalidField, rejectInjection, requireAddress } from './reject-injection.ts'

type Mailbox = NonNullable<MessageContent['from']>

/** Characters of what an encoded word carries: as many as the composer puts into one. */
const maxEncodedWord = 52

export interface ComposeOptions {
  /** The account's own address: the sender of a message that names none. */
  from: Mailbox
  date?: Date
  /** Used when the content brings none; with or without angle brackets. */
  messageId?: string
  /** The message that this one answers or passes on: their Message-IDs. */
  references?: { inReplyTo: string; references: readonly string[] }
  /** Further attachments, as bytes: after those of the content. */
  attached?: readonly AttachedContent[]
  /** The header shows who gets a blind copy: in drafts, which nobody receives. */
  keepBcc?: boolean
  /** The right side of a generated Message-ID, where the sender's domain cannot be one. */
  hostname?: string
}

export interface ComposedMessage {
  /** RFC 5322, lines ended by CRLF; ASCII but for internationalised addresses. Without Bcc. */
  mime: Buffer
  /** With its angle brackets. */
  messageId: string
  envelope: { from: string; to: string[] }
}

/**
 * Makes a message of its content, and the envelope that it goes out with.
 *
 * Reads no file and no URL. Whatever could break out of a header or an SMTP command is refused.
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
  const { bodies, images } = bodiesOf(checked)
  const composer = new MailComposer({
    ...optionalHeaders(checked, options),
    from: toMailbox(from),
    messageId,
    date: options.date ?? new Date(),
    ...bodies,
    attachments: [
      ...images.map(attachment),
      ...(checked.attachments ?? []).map((part) =>
        attachment({ ...part, content: Buffer.from(part.content, 'base64') }),
      ),
      ...(options.attached ?? []).map((part) => attachment(cleaned(part))),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const root = composer.compile()
  root.keepBcc = options.keepBcc === true
  const mime = canonicalLines(await root.build())
  return { mime, messageId, envelope: envelopeOf(checked, from) }
}

/** All of the head that is not always there. */
export function optionalHeaders(
  content: MessageContent,
  options: Pick<ComposeOptions, 'keepBcc' | 'references'>,
) {
  return {
    headers: customHeaders(content),
    ...lists(content, options),
    ...(content.subject === undefined ? {} : { subject: foldable(content.subject) }),
    ...threading(options),
  }
}

/** A word that is longer than a line goes as encoded ones (RFC 2047). */
function foldable(text: string): string {
  return hasLongWord(text) ? encodeWord(text, 'B', maxEncodedWord) : text
}

export function toMailbox({ name, address }: Mailbox) {
  return { name: name ?? '', address }
}

function lists(
  { to, cc, bcc, replyTo }: MessageContent,
  { keepBcc = false }: Pick<ComposeOptions, 'keepBcc'>,
) {
  const list = (addresses: Mailbox[] | undefined) => (addresses ?? []).map(toMailbox)
  return {
    ...(keepBcc && bcc?.length ? { bcc: list(bcc) } : {}),
    ...(to?.length ? { to: list(to) } : {}),
    ...(cc?.length ? { cc: list(cc) } : {}),
    ...(replyTo?.length ? { replyTo: list(replyTo) } : {}),
  }
}

/** An HTML body never goes alone: readers without HTML get its text. */
function bodiesOf({ text, html, previewText = '' }: MessageContent) {
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

function threading({ references }: Pick<ComposeOptions, 'references'>) {
  return references ? { ...references, references: [...references.references] } : {}
}

/** Without what ends a line for some mail software. */
function cleaned({ content, contentDisposition, ...names }: AttachedContent): AttachedContent {
  const lines = Object.entries(names).map(([name, value]) => [
    name,
    String(value).replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
  ])
  return {
    ...(Object.fromEntries(lines) as Omit<AttachedContent, 'content'>),
    content,
    ...(contentDisposition === undefined ? {} : { contentDisposition }),
  }
}

function attachment(part: AttachedContent) {
  const contentType = attachmentType(part.contentType)
  return {
    content: part.content,
    filename: part.filename ?? false,
    contentTransferEncoding: 'base64',
    ...(contentType === undefined ? {} : { contentType }),
    ...(part.cid === undefined ? {} : { cid: part.cid.replace(/^<|>$/g, '') }),
    ...(part.contentDisposition === undefined
      ? {}
      : { contentDisposition: part.contentDisposition }),
  } as const
}

/**
 * RFC 2045 §6.4 lets composite types not be base64, which is what makes any content safe to carry: those go as plain bytes, and so
 * does what is no media type at all.
 */
function attachmentType(type: string | undefined): string | undefined {
  if (type === undefined) return undefined
  const known = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+\s*(?:;|$)/i.test(type)
  return known && !/^(?:multipart|message)\//i.test(type) ? type : 'application/octet-stream'
}

function envelopeOf({ to, cc, bcc, envelope }: MessageContent, from: Mailbox) {
  const named = [to, cc, bcc].flatMap((list) => (list ?? []).map(({ address }) => address))
  return {
    from: chooseReturnPath(envelope, { address: from.address, path: 'envelope.from' }),
    to: uniqueRecipients(envelope?.to ?? named, envelope?.to ? 'envelope.to' : 'to'),
  }
}

/** Where reports go: nowhere, where the envelope says so (RFC 5321 §4.5.5), else to the sender. @throws AppError `invalid` that names `path` */
export function chooseReturnPath(
  envelope: MessageContent['envelope'],
  sender: { address: string; path: string },
): string {
  if (envelope?.from === '') return ''
  return asciiDomain(requireAddress(envelope?.from ?? sender.address, sender.path))
}

/** Everybody once, however often and in whichever case they are named. @throws AppError `invalid` that names `path` */
export function uniqueRecipients(addresses: readonly string[], path: string): string[] {
  const recipients = new Map<string, string>()
  for (const address of addresses) {
    const safe = asciiDomain(requireAddress(address, path))
    if (!recipients.has(safe.toLowerCase())) recipients.set(safe.toLowerCase(), safe)
  }
  return [...recipients.values()]
}

/** Only an address whose local part needs SMTPUTF8 anyway keeps its domain as written (RFC 6531 §3.2). */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  if (domain.startsWith('[') || /[^\x20-\x7e]/.test(local)) return address
  return `${local}@${domainToASCII(domain) || domain}`
}

/** A Message-ID nobody else has, with its angle brackets. */
export function newMessageId(
  { address }: Mailbox,
  { hostname }: Pick<ComposeOptions, 'hostname'> = {},
): string {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return `<${randomUUID()}@${domain || hostname || 'localhost'}>`
}

/** A Message-ID with its angle brackets: RFC 5322 §3.6.4, and nothing that a header would have to encode or fold. */
export function formatMessageId(id: string): string {
  const bare = id.replace(/^<|>$/g, '')
  if (!isMessageId(bare)) throw invalidField('messageId', 'must be a Message-ID')
  return `<${bare}>`
}

export function isMessageId(bare: string): boolean {
  return /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/.test(bare) && bare.length <= 994
}

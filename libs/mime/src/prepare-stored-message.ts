import { maxRecipients, type MessageContent } from '@posthorn/contracts'
import addressparser from 'nodemailer/lib/addressparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { canonicalLines } from './canonical-lines.ts'
import {
  type ComposedMessage,
  type ComposeOptions,
  optionalHeaders,
  isMessageId,
  toMailbox,
  formatMessageId,
  newMessageId,
  uniqueRecipients,
  chooseReturnPath,
} from './compose.ts'
import { decodeWords } from './decode-words.ts'
import { type HeaderField, joinHead, splitHead, type SplitMessage, fieldValue } from './head.ts'
import { invalidField, rejectInjection, requireAddress } from './reject-injection.ts'

export interface PrepareMessageOptions extends Pick<
  ComposeOptions,
  'from' | 'date' | 'messageId' | 'references'
> {
  /** What an error says is wrong. */
  path: string
  /** Headers that take the place of the message's own. */
  content?: Omit<MessageContent, 'text' | 'html' | 'previewText' | 'attachments'>
}

export interface PreparedStoredMessage extends ComposedMessage {
  /** Decoded. */
  subject?: string
}

/** Not for recipients: who gets a blind copy, and what is meant for whoever takes the message in. */
const withheld = /^(?:bcc|resent-bcc|x-svc-.*)$/
/** Longer than any list of recipients that is taken. */
const maxAddressText = 400_000

/**
 * Makes a message that came as bytes ready to be sent: whom it goes to is read from its headers, unless an envelope is given; what no
 * recipient may see is taken out; sender, date and Message-ID are added where they are missing. All else stays byte by byte.
 *
 * @throws AppError `invalid` with `fields`
 */
export function prepareStoredMessage(
  bytes: Buffer,
  options: PrepareMessageOptions,
): PreparedStoredMessage {
  const { path } = options
  const given = parseMessageHead(canonicalLines(bytes), path)
  const content = rejectInjection(options.content ?? {})
  const overridden = new Set(headerNames(content))
  const kept = given.fields.filter(({ name }) => !overridden.has(name))
  const messageId = chooseMessageId(kept, content, options)
  const fields = [
    ...kept.filter(
      ({ name, line }) => !withheld.test(name) && !isOtherId({ name, line }, messageId),
    ),
    ...missingFields(kept, { content, messageId }, options),
  ]
  const subject = fields.find(({ name }) => name === 'subject')
  return {
    mime: joinHead({ fields, body: given.body }),
    messageId,
    envelope: envelopeOf(kept, content, options),
    ...(subject ? { subject: decodeWords(fieldValue(subject)) } : {}),
  }
}

/** What mailbox files put before each message. */
const envelopeLine = /^>?From [^\r]{0,1000}\r\n/

function parseMessageHead(message: Buffer, path: string): SplitMessage {
  const [line = ''] = envelopeLine.exec(message.toString('latin1', 0, 1_010)) ?? []
  const given = splitHead(message.subarray(line.length))
  if (!given) throw invalidField(path, 'has headers that are too large')
  if (given.fields.length === 0 || given.fields.some(({ name }) => name === ''))
    throw invalidField(path, 'must be a message that begins with its headers')
  return given
}

const structured = {
  from: 'from',
  replyTo: 'reply-to',
  to: 'to',
  cc: 'cc',
  bcc: 'bcc',
  subject: 'subject',
  messageId: 'message-id',
} as const

/** The headers that the content sets, lower case. */
function headerNames(content: MessageContent): string[] {
  const keys = Object.keys(structured) as (keyof typeof structured)[]
  return [
    ...keys.filter((key) => content[key] !== undefined).map((key) => structured[key]),
    ...Object.keys(content.headers ?? {}).map((name) => name.toLowerCase()),
  ]
}

/** One that is there and can be looked for by others is kept. */
function chooseMessageId(
  kept: readonly HeaderField[],
  { messageId, from }: MessageContent,
  options: PrepareMessageOptions,
): string {
  if (messageId !== undefined) return formatMessageId(messageId)
  const own = kept.find(({ name }) => name === 'message-id')
  const id = own ? /^<([^<>]*)>$/.exec(fieldValue(own))?.[1] : undefined
  if (id !== undefined && isMessageId(id)) return `<${id}>`
  return options.messageId ?? newMessageId(from ?? options.from)
}

function isOtherId(field: HeaderField, messageId: string): boolean {
  return field.name === 'message-id' && fieldValue(field) !== messageId
}

/** What is put behind the headers that are there. */
function missingFields(
  kept: readonly HeaderField[],
  { content, messageId }: { content: MessageContent; messageId: string },
  { from, date = new Date(), references }: PrepareMessageOptions,
): HeaderField[] {
  const there = new Set(kept.map(({ name }) => name))
  const hasId = kept.some((field) => field.name === 'message-id' && !isOtherId(field, messageId))
  const missing = [
    ...(there.has('from') ? [] : ['from']),
    ...(there.has('date') ? [] : ['date']),
    ...(hasId ? [] : ['message-id']),
    ...(references && !there.has('in-reply-to') ? ['in-reply-to'] : []),
    ...(references && !there.has('references') ? ['references'] : []),
  ]
  const wanted = new Set([...headerNames(content), ...missing])
  const composed = new MailComposer({
    ...optionalHeaders(content, references ? { references } : {}),
    from: toMailbox(content.from ?? from),
    messageId,
    date,
    text: '',
  })
  const head = composed.compile().buildHeaders()
  const { fields } = parseMessageHead(Buffer.from(head.replaceAll(/\r?\n/g, '\r\n')), 'headers')
  return fields.filter(({ name }) => wanted.has(name) && !withheld.test(name))
}

function envelopeOf(
  kept: readonly HeaderField[],
  content: MessageContent,
  { from, path }: PrepareMessageOptions,
): ComposedMessage['envelope'] {
  const { envelope } = content
  const [written] = addressesIn(kept, 'from', path)
  const address = content.from?.address ?? written ?? from.address
  const lists = (['to', 'cc', 'bcc'] as const).flatMap((name) =>
    content[name] === undefined
      ? addressesIn(kept, name, path)
      : content[name].map(({ address }) => address),
  )
  const recipients = envelope?.to ?? lists
  if (recipients.length > maxRecipients) throw tooMany(path)
  return {
    from: chooseReturnPath(envelope, { address, path }),
    to: uniqueRecipients(recipients, envelope?.to ? 'envelope.to' : path),
  }
}

/** The addresses in all fields of a name, those of groups included. */
function addressesIn(fields: readonly HeaderField[], name: string, path: string): string[] {
  const values = fields.filter((field) => field.name === name).map(fieldValue)
  if (values.reduce((length, value) => length + value.length, 0) > maxAddressText)
    throw tooMany(path)
  return values.flatMap((value) =>
    addressparser(value, { flatten: true }).map((entry) => {
      const written = entry.address || entry.name
      return requireAddress(written, path)
    }),
  )
}

function tooMany(path: string) {
  return invalidField(path, `must not have more than ${maxRecipients} recipients`)
}

import { defined } from '@posthorn/contracts/defined'
import { maxRecipients, type MessageContent } from '@posthorn/contracts/schemas/content'
import { canonicalLines } from './canonical-lines.ts'
import {
  type ComposedMessage,
  type ComposeOptions,
  optionalHeaders,
  isMessageId,
  toComposerAddress,
  formatMessageId,
  newMessageId,
  uniqueRecipients,
  chooseReturnPath,
} from './compose.ts'
import { decodeWords } from './decode.ts'
import { type HeaderField, joinHead, splitHead, type SplitMessage, fieldValue } from './headers.ts'
import { MailComposer, parseAddresses } from './nodemailer.ts'
import { invalidField, rejectInjection, requireAddress } from './reject-injection.ts'

export interface PrepareMessageOptions extends Pick<
  ComposeOptions,
  'from' | 'date' | 'messageId' | 'references'
> {
  /** Field of the API request that contains the message to send. Errors name this field. */
  path: string
  /**
   * Content of the API request that sends a stored message. Headers in the request replace headers
   * of the stored message.
   */
  content?: Omit<MessageContent, 'text' | 'html' | 'previewText' | 'attachments'>
}

interface PreparedStoredMessage extends ComposedMessage {
  /** Decoded subject of the stored message to send. */
  subject?: string
}

/**
 * Pattern of headers that are removed from a stored message before sending: Bcc headers and
 * instructions for smtp-proxy.
 */
const removedHeaders = /^(?:bcc|resent-bcc|x-svc-.*)$/
/**
 * Maximum number of characters in all address fields of a message together. Sufficient for any list
 * of at most `maxRecipients` addresses.
 */
const maxAddressText = 400_000

/**
 * Prepares the stored MIME bytes of a message for sending. Takes the recipients from the headers
 * unless an envelope is given, removes headers that recipients must not see, and adds From, Date
 * and Message-ID if they are missing. All other bytes of the message stay unchanged.
 *
 * @throws AppError `invalid` with `fields`
 */
export function prepareStoredMessage(
  bytes: Buffer,
  options: PrepareMessageOptions,
): PreparedStoredMessage {
  const { path } = options
  const original = parseMessageHead(canonicalLines(bytes), path)
  const content = rejectInjection(options.content ?? {})
  const overridden = new Set(headerNames(content))
  const others = original.fields.filter(({ name }) => !overridden.has(name))
  const messageId = chooseMessageId(others, content, options)
  const remaining = others.filter(
    (field) => field.name !== 'message-id' || fieldValue(field) === messageId,
  )
  const fields = [
    ...remaining.filter(({ name }) => !removedHeaders.test(name)),
    ...missingFields(remaining, { content, messageId }, options),
  ]
  const subject = fields.find(({ name }) => name === 'subject')
  return defined({
    mime: joinHead({ fields, body: original.body }),
    messageId,
    envelope: buildEnvelope(remaining, content, options),
    subject: subject && decodeWords(fieldValue(subject)),
  })
}

/** Pattern of the envelope line that precedes each message in an mbox file. */
const envelopeLine = /^>?From [^\r]{0,1000}\r\n/

function parseMessageHead(message: Buffer, path: string): SplitMessage {
  const [line = ''] = envelopeLine.exec(message.toString('latin1', 0, 1_010)) ?? []
  const original = splitHead(message.subarray(line.length))
  if (!original) throw invalidField(path, 'has headers that are too large')
  if (original.fields.length === 0 || original.fields.some(({ name }) => name === ''))
    throw invalidField(path, 'must be a message that begins with its headers')
  return original
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

/** Lower-case names of those message headers for which the API request contains a value. */
function headerNames(content: MessageContent): string[] {
  const keys = Object.keys(structured) as (keyof typeof structured)[]
  return [
    ...keys.filter((key) => content[key] !== undefined).map((key) => structured[key]),
    ...Object.keys(content.headers ?? {}).map((name) => name.toLowerCase()),
  ]
}

/**
 * Message-ID of the message to send: the Message-ID in the API request, or else a valid Message-ID
 * of the stored message, or else a new Message-ID.
 */
function chooseMessageId(
  remaining: readonly HeaderField[],
  { messageId, from }: MessageContent,
  options: PrepareMessageOptions,
): string {
  if (messageId !== undefined) return formatMessageId(messageId)
  const own = remaining.find(({ name }) => name === 'message-id')
  const id = own ? /^<([^<>]*)>$/.exec(fieldValue(own))?.[1] : undefined
  if (id !== undefined && isMessageId(id)) return `<${id}>`
  return options.messageId ?? newMessageId(from ?? options.from)
}

/**
 * Header fields that are appended to the stored message: replacements for existing fields, and
 * mandatory fields that are missing.
 */
function missingFields(
  remaining: readonly HeaderField[],
  { content, messageId }: { content: MessageContent; messageId: string },
  { from, date = new Date(), references }: PrepareMessageOptions,
): HeaderField[] {
  const mandatory = ['from', 'date', 'message-id']
  if (references) mandatory.push('in-reply-to', 'references')
  const missing = mandatory.filter((name) => !remaining.some((field) => field.name === name))
  const names = new Set([...headerNames(content), ...missing])
  const composed = new MailComposer({
    ...optionalHeaders(content, defined({ references })),
    from: toComposerAddress(content.from ?? from),
    messageId,
    date,
    text: '',
  })
  const head = composed.compile().buildHeaders()
  const { fields } = parseMessageHead(Buffer.from(head.replaceAll(/\r?\n/g, '\r\n')), 'headers')
  return fields.filter(({ name }) => names.has(name) && !removedHeaders.test(name))
}

function buildEnvelope(
  remaining: readonly HeaderField[],
  content: MessageContent,
  { from, path }: PrepareMessageOptions,
): ComposedMessage['envelope'] {
  const { envelope } = content
  const [author] = addressesIn(remaining, 'from', path)
  const address = content.from?.address ?? author ?? from.address
  const lists = (['to', 'cc', 'bcc'] as const).flatMap((name) =>
    content[name] === undefined
      ? addressesIn(remaining, name, path)
      : content[name].map(({ address }) => address),
  )
  const recipients = envelope?.to ?? lists
  if (recipients.length > maxRecipients) throw tooManyRecipients(path)
  return {
    from: chooseReturnPath(envelope, { address, path }),
    to: uniqueRecipients(recipients, envelope?.to ? 'envelope.to' : path),
  }
}

/** Addresses in all header fields of a message with a given name, including members of groups. */
function addressesIn(fields: readonly HeaderField[], name: string, path: string): string[] {
  const values = fields.filter((field) => field.name === name).map(fieldValue)
  if (values.reduce((length, value) => length + value.length, 0) > maxAddressText)
    throw tooManyRecipients(path)
  return values.flatMap((value) =>
    parseAddresses(value, { flatten: true }).map(({ address, name }) =>
      requireAddress(address || name, path),
    ),
  )
}

function tooManyRecipients(path: string) {
  return invalidField(path, `must not have more than ${maxRecipients} recipients`)
}

import { defined } from '@posthorn/contracts/defined'
import { decodeWords, parseAddressList } from '@posthorn/mime'
import { isApiId } from '../../mail-api/ids.ts'
import type { ApiMessage, GetOptions } from '../../mail-api/messages.ts'
import type { GmailMessage } from '../../provider-types/gmail.ts'
import { stateOfLabels } from '../labels.ts'
import { clean, headersOf } from './headers.ts'
import { attachmentsOf, readParts } from './parts.ts'

/**
 * Names of header fields from which the envelope of a Gmail message (subject, addresses, date) is
 * built.
 */
const envelopeHeaders = [
  'Date',
  'Subject',
  'Message-ID',
  'In-Reply-To',
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Bcc',
] as const

const maxPreviewLength = 255
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/**
 * Parameters of Gmail's `messages.get` for the given options. Requests headers only if the options
 * need nothing else.
 */
export function getParameters({ headers, attachments, maxTextBytes }: GetOptions) {
  const brief = 'id,threadId,labelIds,snippet,internalDate,sizeEstimate'
  if (attachments || maxTextBytes !== undefined)
    return { query: { format: 'full' }, fields: `${brief},payload` }
  const query = headers ? {} : { metadataHeaders: envelopeHeaders }
  return { query: { format: 'metadata', ...query }, fields: `${brief},payload/headers` }
}

/**
 * Converts a Gmail message without its texts. Undefined if the response has no usable message id.
 */
export function toApiMessage(
  message: Partial<GmailMessage>,
  options: GetOptions,
): ApiMessage | undefined {
  const { id = '', threadId, labelIds, snippet, internalDate, sizeEstimate, payload } = message
  if (!isApiId(id)) return undefined
  const fields = headersOf(payload?.headers)
  return defined({
    id,
    threadId: threadId !== undefined && isApiId(threadId) ? threadId : undefined,
    ...stateOfLabels(labelIds),
    receivedAt: new Date(Number(internalDate) || 0),
    size: typeof sizeEstimate === 'number' ? sizeEstimate : undefined,
    envelope: envelopeOf(fields),
    preview: previewOf(snippet),
    headers: options.headers ? fields : undefined,
    attachments: options.attachments && payload ? attachmentsOf(readParts(payload)) : undefined,
  })
}

/**
 * Headers of a sent Gmail message: the first Message-ID, in any spelling of the field name, and
 * addresses of the authors, if there are any.
 */
export function sentHeadersOf({ payload }: Partial<GmailMessage>) {
  const { messageId, from } = envelopeOf(headersOf(payload?.headers))
  const authors = from?.flatMap(({ address }) => address ?? []) ?? []
  return { messageIdHeader: messageId, from: authors.length > 0 ? authors : undefined }
}

function envelopeOf(fields: readonly [name: string, value: string][]): ApiMessage['envelope'] {
  const first = new Map<string, string>()
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    if (!first.has(lower)) first.set(lower, value)
  }
  const addresses = (name: string) => parseAddressList(first.get(name) ?? '')
  return defined({
    date: dateOf(first.get('date')),
    subject: textOf(first.get('subject')),
    messageId: identifierOf(first.get('message-id')),
    inReplyTo: identifierOf(first.get('in-reply-to')),
    from: addresses('from'),
    sender: addresses('sender'),
    replyTo: addresses('reply-to'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
  })
}

/**
 * Decoded text of a header value. Gmail sends most header values with their encoded words (RFC
 * 2047), and some already decoded.
 */
function textOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : decodeWords(value)
}

function dateOf(value: string | undefined): Date | undefined {
  const date = new Date(value ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}

function identifierOf(value: string | undefined): string | undefined {
  return /<[^<>]{1,998}>/.exec(value ?? '')?.[0] ?? (value?.trim() || undefined)
}

/** Preview of a message: the snippet of Gmail without HTML entities such as `&#39;`. */
function previewOf(snippet: string | undefined): string | undefined {
  if (typeof snippet !== 'string' || snippet === '') return undefined
  const text = snippet.replace(/&([a-z]{2,4}|#\d{1,7}|#x[\da-f]{1,6});/gi, unescape)
  return clean(text).slice(0, maxPreviewLength).toWellFormed()
}

function unescape(match: string, name: string): string {
  if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? match
  const isHex = name.startsWith('#x') || name.startsWith('#X')
  const code = isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : match
}

import { defined } from '@posthorn/contracts/defined'
import { htmlToText } from '@posthorn/mime'
import { incompleteResponse } from '../mail-api/errors.ts'
import { isApiId } from '../mail-api/ids.ts'
import type { ApiMessage, ApiTexts, GetOptions } from '../mail-api/messages.ts'
import type { GraphMessage, GraphRecipient } from '../provider-types/graph.ts'

type Envelope = ApiMessage['envelope']
type Address = Envelope['from'][number]

/** Properties of a Graph message in lists. Without `$select`, Graph would send the texts, too. */
const listed = [
  'id',
  'conversationId',
  'parentFolderId',
  'isRead',
  'isDraft',
  'flag',
  'categories',
  'receivedDateTime',
  'sentDateTime',
  'createdDateTime',
  'subject',
  'bodyPreview',
  'internetMessageId',
  'hasAttachments',
  'from',
  'sender',
  'replyTo',
  'toRecipients',
  'ccRecipients',
  'bccRecipients',
]

/**
 * Value of `$expand` for the size of a Graph message, which is a MAPI property (PidTagMessageSize).
 * Deltas refuse `$expand`.
 */
export const sizeExpand = "singleValueExtendedProperties($filter=id eq 'Integer 0x0E08')"

const maxHeaderBytes = 256 * 1024
const maxLabelLength = 255
/** Maximum bytes of a Graph message's text that are read, even if a caller permits more. */
const maxTextLimit = 10 * 1024 * 1024

/** Value of `$select` for reading a Graph message with the given options. */
export function selectOf({ headers, maxTextBytes }: GetOptions): string {
  return [
    ...listed,
    ...(headers ? ['internetMessageHeaders'] : []),
    ...(maxTextBytes === undefined ? [] : ['body']),
  ].join(',')
}

/**
 * Converts a Graph message. Any member of the message may be null or absent, even if the
 * description of Graph requires the member. Undefined for a message without a usable id.
 */
export function toMessage(
  message: GraphMessage | undefined,
  options: GetOptions,
): ApiMessage | undefined {
  if (!message || !isId(message.id)) return undefined
  assertComplete(message, options)
  const { id, conversationId, parentFolderId, bodyPreview } = message
  return {
    ...defined({
      id,
      threadId: isId(conversationId) ? conversationId : undefined,
      folderId: isId(parentFolderId) ? parentFolderId : undefined,
      preview: bodyPreview?.slice(0, 255) || undefined,
      size: sizeOf(message),
      headers: options.headers ? headersOf(message) : undefined,
      texts:
        options.maxTextBytes === undefined ? undefined : textsOf(message, options.maxTextBytes),
    }),
    ...flagsOf(message),
    labels: labelsOf(message.categories),
    receivedAt: receivedAt(message),
    envelope: envelopeOf(message),
  }
}

/**
 * Refuses a Graph message that lacks members which Graph sends with every message, or that has a
 * preview but an empty text. Drafts may have no sender.
 * @throws MailApiError `unavailable` with `incomplete`
 */
function assertComplete(message: GraphMessage, { maxTextBytes }: GetOptions): void {
  const { subject, from, sender, toRecipients, isDraft, body, bodyPreview } = message
  const isNamed = isDraft === true || from !== undefined || sender !== undefined
  const hasEnvelope = subject !== undefined && Array.isArray(toRecipients) && isNamed
  const hasText = typeof body?.content === 'string' && (body.content !== '' || !bodyPreview)
  if (!hasEnvelope || (maxTextBytes !== undefined && !hasText))
    throw incompleteResponse('The provider sent a message without some of its members')
}

/** Size of a Graph message that was read with `sizeExpand`. */
function sizeOf({ singleValueExtendedProperties: properties }: GraphMessage): number | undefined {
  if (!Array.isArray(properties)) return undefined
  // Graph returns the property id (MAPI tag) without leading zeros.
  const size = properties.find(({ id }) => /^Integer 0x0*e08$/i.test(id ?? ''))?.value ?? ''
  return /^\d{1,10}$/.test(size) ? Number(size) : undefined
}

export function isId(id: unknown): id is string {
  return typeof id === 'string' && isApiId(id)
}

/** Labels of a Graph message: the names of its categories. Names that are too long are left out. */
export function labelsOf(categories: unknown): string[] {
  const names: unknown[] = Array.isArray(categories) ? categories : []
  return names.filter(
    (name): name is string => typeof name === 'string' && name.length <= maxLabelLength,
  )
}

function flagsOf({ isRead, flag, isDraft }: GraphMessage) {
  return {
    unseen: isRead === false,
    flagged: flag?.flagStatus === 'flagged',
    draft: isDraft === true,
  }
}

/** Time of arrival of a Graph message. Drafts and reports may have no time of arrival. */
export function receivedAt(message: GraphMessage): Date {
  const { receivedDateTime, sentDateTime, createdDateTime } = message
  return dateOf(receivedDateTime ?? sentDateTime ?? createdDateTime) ?? new Date(0)
}

export function dateOf(text: string | null | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function envelopeOf(message: GraphMessage): Envelope {
  return defined({
    date: dateOf(message.sentDateTime),
    subject: message.subject ?? undefined,
    messageId: message.internetMessageId ?? undefined,
    inReplyTo: headerOf(message, 'in-reply-to'),
    from: addressesOf([message.from]),
    sender: addressesOf([message.sender]),
    replyTo: addressesOf(message.replyTo),
    to: addressesOf(message.toRecipients),
    cc: addressesOf(message.ccRecipients),
    bcc: addressesOf(message.bccRecipients),
  })
}

/**
 * Addresses of Graph recipients. A recipient without a name gets its address as name. An address
 * may be an X.500 address.
 */
function addressesOf(recipients: unknown): Address[] {
  const list = (Array.isArray(recipients) ? recipients : []) as (
    | GraphRecipient
    | null
    | undefined
  )[]
  return list.flatMap((recipient) => {
    const { name, address } = recipient?.emailAddress ?? {}
    if (!name && !address) return []
    return [
      defined({
        name: name && name !== address ? name : undefined,
        address: address ?? undefined,
      }) as Address,
    ]
  })
}

function headersOf({ internetMessageHeaders }: GraphMessage): [string, string][] {
  const headers: [string, string][] = []
  let bytes = 0
  for (const { name, value } of internetMessageHeaders ?? []) {
    if (typeof (value ?? '') !== 'string')
      throw incompleteResponse('The provider sent a header field that is no text')
    bytes += (name?.length ?? 0) + (value?.length ?? 0)
    if (bytes > maxHeaderBytes) break
    if (name) headers.push([name, value ?? ''])
  }
  return headers
}

function headerOf(message: GraphMessage, name: string): string | undefined {
  return headersOf(message).find(([each]) => each.toLowerCase() === name)?.[1]
}

/**
 * Texts of a Graph message. Graph stores one text per message. HTML is converted to plain text
 * here, because Graph would need another request for the conversion.
 */
function textsOf({ body }: GraphMessage, maxBytes: number): ApiTexts {
  const content = body?.content ?? ''
  if (content === '') return {}
  const isHtml = body?.contentType === 'html'
  const plain = cut(isHtml ? htmlToText(content) : content, maxBytes)
  const html = isHtml ? cut(content, maxBytes) : undefined
  return defined({
    plain: plain.text,
    html: html?.text,
    hasMore: plain.isCut || html?.isCut ? (true as const) : undefined,
  })
}

/** Cuts the text of a Graph message at a character, so that the text stays valid UTF-8. */
function cut(text: string, maxBytes: number): { text: string; isCut: boolean } {
  const limit = Math.min(maxBytes, maxTextLimit)
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return { text, isCut: false }
  let end = limit
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { text: bytes.toString('utf8', 0, end), isCut: true }
}

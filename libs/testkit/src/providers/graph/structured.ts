import type { FakeAttachment, FakeContent } from './content.ts'
import { GraphFault, type GraphRecipient, type Json } from './json.ts'
import { messageIdHost } from './content.ts'

const maxInternetHeaders = 5
/**
 * Pattern of the id of a Graph message's extended property: a type, then a tag, or a property set
 * with a number or a name.
 */
const propertyId =
  /^(?:String|Integer|Long|Boolean|SystemTime) (?:0x[0-9a-f]{1,4}|\{[0-9a-f-]{36}\} (?:Id 0x[0-9a-f]{1,8}|Name [^:\s]+))$/i

/**
 * Message content in the structured format of Graph.
 * @throws GraphFault
 */
export function contentOfJson(json: Json, newId: (prefix: string) => string): FakeContent {
  const headers = internetHeadersIn(json)
  const [from = null] = recipientsIn([json['from']])
  const { contentType = 'text', content = '' } = (json['body'] ?? {}) as Partial<
    FakeContent['body']
  >
  const id = json['internetMessageId']
  return {
    subject: (json['subject'] as string | undefined) ?? null,
    internetMessageId: typeof id === 'string' ? id : `<${newId('gen')}@${messageIdHost}>`,
    from,
    sender: from,
    to: recipientsIn(json['toRecipients']),
    cc: recipientsIn(json['ccRecipients']),
    bcc: recipientsIn(json['bccRecipients']),
    replyTo: recipientsIn(json['replyTo']),
    body: { contentType, content },
    headers,
    properties: propertiesIn(json),
    attachments: ((json['attachments'] ?? []) as Json[]).map((each) => attachmentIn(each, newId)),
  }
}

function internetHeadersIn(json: Json): FakeContent['headers'] {
  const headers = (json['internetMessageHeaders'] ?? []) as FakeContent['headers']
  const wrong = headers.find(({ name }) => !/^x-/i.test(name))
  if (wrong) {
    const text = `The internet message header name '${wrong.name}' should start with 'x-' or 'X-'.`
    throw new GraphFault(400, 'InvalidInternetMessageHeader', text)
  }
  if (headers.length > maxInternetHeaders) {
    const text = `Maximum number of headers in one message should be less than or equal to ${maxInternetHeaders}.`
    throw new GraphFault(400, 'InvalidInternetMessageHeaderCollection', text)
  }
  return headers
}

function propertiesIn(json: Json): NonNullable<FakeContent['properties']> {
  const properties = (json['singleValueExtendedProperties'] ?? []) as FakeContent['properties']
  if (properties?.every(({ id, value }) => propertyId.test(id) && value !== '')) return properties
  throw new GraphFault(400, 'ErrorInvalidProperty', 'The extended property is invalid.')
}

/** True if the Graph message has header fields whose names have to be registered in the mailbox. */
export function hasNamedHeaders({ headers, properties = [] }: FakeContent): boolean {
  return headers.length > 0 || properties.some(({ id }) => id.includes(' Name '))
}

export function recipientsIn(value: unknown): GraphRecipient[] {
  return (Array.isArray(value) ? value : []).filter(Boolean) as GraphRecipient[]
}

/** Attachment in the JSON of a Graph request. */
export function attachmentIn(json: Json, newId: (prefix: string) => string): FakeAttachment {
  const { contentId, isInline } = json
  const text = (name: string) => (typeof json[name] === 'string' ? json[name] : '')
  const type = text('@odata.type').includes('reference') ? 'reference' : 'file'
  return {
    id: newId('AAkAtt'),
    type,
    name: text('name'),
    contentType: text('contentType') || 'application/octet-stream',
    isInline: isInline === true,
    ...(typeof contentId === 'string' && { contentId }),
    bytes: Buffer.from(text('contentBytes'), 'base64'),
  }
}

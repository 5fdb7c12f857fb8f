import type { FakeAttachment, FakeContent } from './content.ts'
import { GraphFault, type GraphRecipient, type Json } from './json.ts'
import { messageIdHost } from './content.ts'

/** Content of a message in the structured format. @throws GraphFault */
export function contentOfJson(json: Json, newId: (prefix: string) => string): FakeContent {
  const headers = (json['internetMessageHeaders'] ?? []) as { name: string; value: string }[]
  const wrong = headers.find(({ name }) => !/^x-/i.test(name))
  if (wrong) {
    const text = `The internet message header name '${wrong.name}' should start with 'x-' or 'X-'.`
    throw new GraphFault(400, 'InvalidInternetMessageHeader', text)
  }
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
    attachments: ((json['attachments'] ?? []) as Json[]).map((each) => attachmentIn(each, newId)),
  }
}

export function recipientsIn(value: unknown): GraphRecipient[] {
  return (Array.isArray(value) ? value : []).filter(Boolean) as GraphRecipient[]
}

/** Attachment in the JSON of a request. */
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

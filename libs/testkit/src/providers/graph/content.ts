import type { GraphRecipient } from './json.ts'
import { ModelContent } from '../../mail-api-model/content.ts'

/** Attachment of a message in the Graph fake. */
export interface FakeAttachment {
  id: string
  type: 'file' | 'item' | 'reference'
  name: string
  contentType: string
  isInline: boolean
  contentId?: string
  bytes: Buffer
}

/** Content of a message in the Graph fake, independent of the format in which it was created. */
export interface FakeContent {
  subject: string | null
  internetMessageId: string
  from: GraphRecipient | null
  sender: GraphRecipient | null
  to: GraphRecipient[]
  cc: GraphRecipient[]
  bcc: GraphRecipient[]
  replyTo: GraphRecipient[]
  body: { contentType: 'text' | 'html'; content: string }
  headers: { name: string; value: string }[]
  /** Extended properties (MAPI) of a structured message. */
  properties?: { id: string; value: string }[]
  attachments: FakeAttachment[]
  /**
   * MIME text of a Graph message as received. Absent for structured messages, whose MIME text is
   * built on request.
   */
  raw?: Buffer
}

export const messageIdHost = 'namprd01.prod.outlook.example'

/** Parses a message (RFC 5322) for the Graph fake. */
export function contentOfMime(raw: Buffer, newId: (prefix: string) => string): FakeContent {
  const content = new ModelContent(raw)
  const { envelope } = content
  const { plain = '', html } = content.texts(Infinity)
  const attachments = content
    .attachments((path) => path)
    .map((each): FakeAttachment => {
      const isItem = each.contentType === 'message/rfc822'
      return {
        id: newId('AAkAtt'),
        type: isItem ? 'item' : 'file',
        name: each.filename ?? (isItem ? 'Message' : 'file'),
        contentType: each.contentType,
        isInline: each.embedded,
        ...(each.contentId !== undefined && { contentId: each.contentId }),
        bytes: content.attachment(each.partId)?.bytes ?? Buffer.alloc(0),
      }
    })
  return {
    subject: envelope.subject ?? null,
    internetMessageId: envelope.messageId ?? `<${newId('gen')}@${messageIdHost}>`,
    from: recipients(envelope.from)[0] ?? null,
    sender: recipients(envelope.from)[0] ?? null,
    to: recipients(envelope.to),
    cc: recipients(envelope.cc),
    bcc: recipients(envelope.bcc),
    replyTo: recipients(envelope.replyTo),
    body:
      html === undefined
        ? { contentType: 'text', content: plain }
        : { contentType: 'html', content: html },
    headers: content.headers.map(([name, value]) => ({ name, value })),
    attachments,
    raw,
  }
}

/**
 * Names of the header fields that Exchange writes from properties (MS-OXCMAIL 2.1.3.2), by property
 * tag.
 */
const headersByTag: Readonly<Record<string, string>> = {
  '0x1039': 'References',
  '0x1042': 'In-Reply-To',
  '0x1043': 'List-Help',
  '0x1044': 'List-Subscribe',
  '0x1045': 'List-Unsubscribe',
}
/**
 * Pattern of header fields that are never written from a named property of that name (MS-OXCMAIL
 * 2.1.3.2.14).
 */
const notFromNames =
  /^(?:from|to|cc|bcc|subject|date|message-id|references|in-reply-to|list-(?:help|subscribe|unsubscribe)|importance|sensitivity|x-microsoft-exchange-(?:organization|forest).*)$/i

/** Header field that an extended property of a Graph message becomes when the message is sent. */
function headerOf({ id, value }: { id: string; value: string }): string[][] {
  const [, tag, name] =
    /^String (?:(0x[0-9a-f]+)|\{00020386-0000-0000-c000-000000000046\} Name (.+))$/i.exec(id) ?? []
  const field = tag === undefined ? name : headersByTag[tag.toLowerCase()]
  return field === undefined || (name !== undefined && notFromNames.test(name))
    ? []
    : [[field, value]]
}

/** MIME text of a message in the Graph fake: as received, or built by the fake. */
export function mimeOf(content: FakeContent): Buffer {
  if (content.raw) return content.raw
  const list = (all: GraphRecipient[]) =>
    all
      .map(({ emailAddress }) => `${emailAddress.name ?? ''} <${emailAddress.address}>`.trim())
      .join(', ')
  const head = [
    ['From', content.from ? list([content.from]) : ''],
    ['To', list(content.to)],
    ['Cc', list(content.cc)],
    ['Subject', content.subject ?? ''],
    ['Message-ID', content.internetMessageId],
    ...content.headers.map(({ name, value }) => [name, value]),
    ...(content.properties ?? []).flatMap(headerOf),
    ['Content-Type', 'multipart/mixed; boundary=fake'],
  ].filter(([, value]) => value !== '')
  const parts = [
    `Content-Type: text/${content.body.contentType === 'html' ? 'html' : 'plain'}; charset=utf-8\r\n\r\n${content.body.content}`,
    ...content.attachments.map(
      ({ name, contentType, bytes }) =>
        `Content-Type: ${contentType}; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}`,
    ),
  ]
  const header = head.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(
    `${header}\r\n${parts.map((part) => `--fake\r\n${part}\r\n`).join('')}--fake--\r\n`,
  )
}

function recipients(addresses: readonly { name?: string; address?: string }[]): GraphRecipient[] {
  return addresses.map(({ name, address = '' }) => ({
    emailAddress: { name: name ?? address, address },
  }))
}

import type { FakeAttachment } from './content.ts'
import { mimeOf } from './content.ts'
import { GraphFault, isoOf, type Json } from './json.ts'
import type { FakeFolder, FakeMailbox, FakeMessage } from './mailbox.ts'

export interface ViewOptions {
  immutable: boolean
  /**
   * Value of `$select` in a Graph request. If undefined, all properties are sent that Graph sends
   * by default.
   */
  select?: string | undefined
  /** True if the header `Prefer` of a Graph request asks for plain text. */
  plain?: boolean
  /** Value of `$expand` in a Graph request. */
  expand?: string | undefined
}

/** Message in the format of Graph. */
export function messageView(message: FakeMessage, options: ViewOptions): Json {
  const { content } = message
  const etag = `W/"CQAAABYAAAD${message.version}"`
  const all: Json = {
    '@odata.etag': etag,
    id: options.immutable ? message.id : message.restId,
    createdDateTime: isoOf(message.createdAt),
    lastModifiedDateTime: isoOf(message.createdAt),
    changeKey: `CQAAABYAAAD${message.version}`,
    categories: message.categories,
    receivedDateTime: isoOf(message.receivedAt),
    sentDateTime: isoOf(message.sentAt),
    hasAttachments: content.attachments.some(({ isInline }) => !isInline),
    internetMessageId: content.internetMessageId,
    subject: content.subject,
    bodyPreview: content.body.content
      .replace(/<[^>]*>/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, 255),
    importance: 'normal',
    parentFolderId: message.folderId,
    conversationId: message.conversationId,
    conversationIndex: 'AQHqDvRvfcAm',
    isDeliveryReceiptRequested: message.isDraft ? null : false,
    isReadReceiptRequested: false,
    isRead: message.isRead,
    isDraft: message.isDraft,
    webLink: 'https://outlook.office365.com/owa/',
    inferenceClassification: 'focused',
    body: bodyView(message, options.plain === true),
    sender: content.sender,
    from: content.from,
    toRecipients: content.to,
    ccRecipients: content.cc,
    bccRecipients: content.bcc,
    replyTo: content.replyTo,
    flag: { flagStatus: message.flagStatus },
  }
  if (options.select === undefined) return { ...all, ...expanded(message, options) }
  const names = new Set([...options.select.split(','), 'id', '@odata.etag'])
  const selected = Object.entries(all).filter(([name]) => names.has(name))
  const view: Json = Object.fromEntries(selected)
  if (names.has('internetMessageHeaders') && content.headers.length > 0)
    view['internetMessageHeaders'] = content.headers
  return { ...view, ...expanded(message, options) }
}

/**
 * Expanded properties of a Graph message. Only the size is supported. Its tag is returned without
 * the leading zero.
 */
function expanded(message: FakeMessage, { expand }: ViewOptions): Json {
  if (expand === undefined) return {}
  const name = 'singleValueExtendedProperties'
  if (expand !== `${name}($filter=id eq 'Integer 0x0E08')`)
    throw new GraphFault(400, 'BadRequest', 'The expanded property is not supported.')
  const context = `https://graph.microsoft.com/v1.0/$metadata#users('me')/messages('${message.id}')/${name}`
  return {
    [`${name}@odata.context`]: context,
    [name]: [{ id: 'Integer 0xe08', value: String(sizeOf(message)) }],
  }
}

function bodyView({ content: { body } }: FakeMessage, plain: boolean): Json {
  if (!plain || body.contentType === 'text') return { ...body }
  return { contentType: 'text', content: body.content.replace(/<[^>]*>/g, '') }
}

/** Folder in the format of Graph. Folders at the top level have the root as parent. */
export function folderView(mailbox: FakeMailbox, folder: FakeFolder): Json {
  const messages = mailbox.list(folder.id)
  const visible = mailbox.childrenOf(folder.id)
  return {
    ...(folder.search && { '@odata.type': '#microsoft.graph.mailSearchFolder' }),
    id: folder.id,
    displayName: folder.name,
    parentFolderId: folder.parentId ?? rootId,
    childFolderCount: visible.length,
    unreadItemCount: messages.filter(({ isRead }) => !isRead).length,
    totalItemCount: messages.length,
    isHidden: folder.hidden === true,
  }
}

export const rootId = 'AQMkADAwRootOfTheMailbox='

/** Attachment in the format of Graph. The content is left out if other properties are selected. */
export function attachmentView(attachment: FakeAttachment, select?: string): Json {
  const { id, type, name, contentType, isInline, contentId, bytes } = attachment
  const all: Json = {
    id,
    lastModifiedDateTime: '2026-01-01T00:00:00Z',
    name,
    contentType: type === 'file' ? contentType : null,
    size: bytes.length + 100,
    isInline,
    ...(type === 'file' && {
      contentId: contentId ?? null,
      contentLocation: null,
      contentBytes: bytes.toString('base64'),
    }),
  }
  const names = select?.split(',').map((each) => each.replace(/^microsoft\.graph\.\w+\//, ''))
  const selected = Object.entries(all).filter(
    ([each]) => each === 'id' || !names || names.includes(each),
  )
  return { '@odata.type': `#microsoft.graph.${type}Attachment`, ...Object.fromEntries(selected) }
}

/** Size of a message as the search index of Graph compares it. */
export function sizeOf(message: FakeMessage): number {
  return mimeOf(message.content).length
}

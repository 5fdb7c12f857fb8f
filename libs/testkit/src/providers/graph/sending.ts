import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import { created } from './changing.ts'
import { contentOfMime, type FakeContent, mimeOf } from './content.ts'
import type { GraphRoutes, MailboxRequest } from './routes.ts'
import { bodyOf, GraphFault, itemMissing, type Json } from './json.ts'
import type { FakeMessage } from './mailbox.ts'
import { readable } from './reading.ts'
import { attachmentIn, contentOfJson, hasNamedHeaders } from './structured.ts'
import { attachmentView } from './views.ts'

const maxRequestBytes = 4 * 1024 * 1024
/**
 * Maximum length of a MIME text in bytes. Graph responds to a longer text with status 200 and does
 * nothing (measured).
 */
const maxMimeBytes = 2_240_000
const maxAttachmentBytes = 3_145_611

/** Handlers of Graph requests that create and send drafts. */
export const sendingRoutes: GraphRoutes = {
  'POST /messages': (request) => createDraft(request, 'drafts'),
  'POST /mailFolders/{mailFolder-id}/messages': (request) =>
    createDraft(request, request.param('mailFolder_id')),
  'POST /messages/{message-id}/attachments': (request) => {
    const message = readable(request)
    const { mailbox } = request
    const attachment = attachmentIn(bodyOf(request), (prefix) => mailbox.newId(prefix))
    if (attachment.bytes.length > maxAttachmentBytes) return { status: 413 }
    message.content.attachments.push(attachment)
    return { status: 201, body: attachmentView(attachment) }
  },
  'POST /messages/{message-id}/send': (request) => {
    const message = readable(request)
    if (!message.isDraft) throw itemMissing()
    release(request, message)
    return { status: 202 }
  },
  'POST /sendMail': (request) => {
    const content = contentIn(request, (bodyOf(request)['message'] ?? {}) as Json)
    assertSendable(request, content)
    const { mailbox } = request
    mailbox.sent.push(mimeOf(content))
    file(
      request,
      mailbox.create(content, { isDraft: false, folderId: mailbox.folder('outbox').id }),
    )
    return { status: 202 }
  },
}

function createDraft(request: MailboxRequest, folder: string): ProviderResponse {
  const { mailbox, fake } = request
  const { id: folderId } = mailbox.folder(folder)
  const content = contentIn(request, bodyOf(request))
  if (fake.faults.full)
    throw new GraphFault(403, 'ErrorQuotaExceeded', 'The mailbox quota was exceeded')
  return created(request, mailbox.create(content, { isDraft: true, folderId }))
}

/** True for a MIME text that is too long, so that Graph responds with status 200 and ignores it. */
export function isIgnoredMime({ headers, raw }: ProviderRequest): boolean {
  const isMime = headers['content-type']?.startsWith('text/plain') ?? false
  return isMime && Buffer.byteLength(raw.toString('latin1'), 'base64') > maxMimeBytes
}

/** Message content in a Graph request: MIME in base64, or in the structured format. */
function contentIn(request: MailboxRequest, json: Json): FakeContent {
  const { raw, headers, mailbox } = request
  const newId = (prefix: string) => mailbox.newId(prefix)
  const isMime = headers['content-type']?.startsWith('text/plain')
  const encoded = isMime ? raw.toString('latin1') : ''
  if (isMime && !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded))
    throw new GraphFault(
      400,
      'ErrorMimeContentInvalidBase64String',
      'Invalid base64 string for MIME content.',
    )
  const mime = Buffer.from(encoded, 'base64')
  if (raw.length > maxRequestBytes)
    throw new GraphFault(413, 'BadRequest', 'The maximum request length supported is 4MB.')
  if (isMime) return contentOfMime(mime, newId)
  const content = contentOfJson(json, newId)
  if (request.fake.faults.namesUsedUp && hasNamedHeaders(content))
    throw new GraphFault(403, 'ErrorQuotaExceeded', 'Cannot get ID from name.')
  return content
}

function assertSendable({ fake, mailbox }: MailboxRequest, content: FakeContent): void {
  if (content.to.length + content.cc.length + content.bcc.length === 0) {
    const text =
      "At least one recipient isn't valid., A message can't be sent because it contains no recipients."
    throw new GraphFault(400, 'ErrorInvalidRecipients', text)
  }
  const from = content.from?.emailAddress.address ?? mailbox.address
  if (fake.faults.deniedSenders.includes(from))
    throw new GraphFault(
      403,
      'ErrorSendAsDenied',
      'The user account does not have the right to send mail.',
    )
  if (mimeOf(content).length > fake.faults.maxSentBytes)
    throw new GraphFault(
      413,
      'ErrorMessageSizeExceeded',
      'The message exceeds the maximum supported size.',
    )
}

/**
 * Sends a draft of the Graph fake. The sent copy is stored under the same id or another id,
 * immediately or later.
 */
function release(request: MailboxRequest, message: FakeMessage): void {
  const { mailbox, fake } = request
  assertSendable(request, message.content)
  mailbox.sent.push(mimeOf(message.content))
  if (fake.faults.draftIdChanges) {
    mailbox.remove(message)
    const { content, conversationId } = message
    const copy = mailbox.create(content, { isDraft: false, folderId: mailbox.folder('outbox').id })
    copy.conversationId = conversationId
    file(request, copy)
  } else {
    mailbox.move(message, mailbox.folder('outbox').id)
    file(request, message)
  }
}

function file({ mailbox, fake }: MailboxRequest, message: FakeMessage): void {
  message.isDraft = false
  message.isRead = true
  message.sentAt = mailbox.clock.now
  message.hiddenReads = 0
  if (fake.faults.replacesMessageId)
    message.content.internetMessageId = `<${message.version}-sent@prod.outlook.example>`
  const place = () => mailbox.move(message, mailbox.folder('sentitems').id)
  const { sentDelayMs } = fake.faults
  if (sentDelayMs > 0) void mailbox.clock.wait(sentDelayMs).then(place)
  else place()
}

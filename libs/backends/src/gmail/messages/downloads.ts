import { defined } from '@posthorn/contracts/defined'
import { decodeTransferEncoding } from '../../decode.ts'
import { isMailApiError, MailApiError } from '../../mail-api/errors.ts'
import type { ApiDownload } from '../../mail-api/messages.ts'
import type { GmailMessage } from '../../provider-types/gmail.ts'
import { type GmailRequest, type GmailRequests, idPath } from '../requests.ts'
import { readBase64Member } from './base64-member.ts'
import { incompleteMessage } from './completeness.ts'
import { messagePath, unreadableIds } from './message-path.ts'
import { type GmailPart, readParts } from './parts.ts'
import { findSourcePart } from './source-part.ts'

/**
 * Maximum response of Gmail with the source of a message: 50 MiB as base64, with the other members.
 */
const maxSourceBytes = 72 * 1024 * 1024
const maxStructureBytes = 64 * 1024 * 1024

/** Downloads the source of a Gmail message, decoded while it arrives. */
export async function downloadSource(
  requests: GmailRequests,
  id: string,
  signal: AbortSignal,
): Promise<ApiDownload> {
  const content = await openMember(requests, 'raw', {
    operation: 'messages.get',
    path: messagePath(id),
    query: { format: 'raw' },
    fields: 'raw',
    maxBytes: maxSourceBytes,
    signal,
  })
  return { contentType: 'message/rfc822', content }
}

/**
 * Downloads the content of a MIME part from Gmail. Each download first looks up the attachment id
 * of the part, because attachment ids soon expire (dust-tt/dust pull request 27314). If Gmail
 * refuses the id, the id is looked up once more.
 */
export async function downloadPart(
  requests: GmailRequests,
  { id, partId }: { id: string; partId: string },
  signal: AbortSignal,
): Promise<ApiDownload> {
  for (let attempt = 0; ; attempt++) {
    const part = await findPart(requests, { id, partId }, signal)
    const { size, type: contentType, filename } = part
    try {
      const content = await openPart(requests, { id, part }, signal)
      // The size of a contained message is left out: the message is decoded from its transfer
      // encoding, and Gmail does not report the decoded size.
      const bytes = contentType === 'message/rfc822' ? undefined : size
      return defined({ size: bytes, contentType, filename, content })
    } catch (error) {
      if (!isRefused(error)) throw error
      if (attempt > 0) throw isMailApiError(error, 'message-missing') ? partMissing() : error
    }
  }
}

/** True if Gmail refused an attachment id because it has expired. */
function isRefused(error: unknown): boolean {
  return (['message-missing', 'unreadable-id', 'refused'] as const).some((failure) =>
    isMailApiError(error, failure),
  )
}

/** Reads the content of a text part that Gmail did not send with its message. */
export async function readLargeText(
  requests: GmailRequests,
  { id, part }: { id: string; part: GmailPart },
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of await openPart(requests, { id, part }, signal)) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(chunks).toString('base64url')
}

async function findPart(
  requests: GmailRequests,
  { id, partId }: { id: string; partId: string },
  signal: AbortSignal,
): Promise<GmailPart> {
  const { payload } = await unreadableIds(() =>
    requests.json<GmailMessage>({
      operation: 'messages.get',
      path: messagePath(id),
      query: { format: 'full' },
      fields: 'payload',
      maxBytes: maxStructureBytes,
      signal,
    }),
  )
  if (!payload?.mimeType) throw incompleteMessage()
  const part = readParts(payload).find((each) => each.partId === partId)
  if (!part) throw partMissing()
  return part
}

async function openPart(
  requests: GmailRequests,
  { id, part }: { id: string; part: GmailPart },
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (part.type === 'message/rfc822')
    return contentOf(await readMessagePart(requests, { id, partId: part.partId }, signal))
  const { attachmentId, data, size } = part
  if (attachmentId === undefined) {
    if (data === undefined && size !== 0) throw incompleteMessage()
    return contentOf(Buffer.from(data ?? '', 'base64url'))
  }
  // Gmail omits the member `data` for an empty attachment.
  if (size === 0) return contentOf(Buffer.alloc(0))
  return openMember(requests, 'data', {
    operation: 'messages.attachments.get',
    path: `${idPath('messages', id, 'message-missing')}/attachments/${encodeURIComponent(attachmentId)}`,
    fields: 'data',
    maxBytes: maxSourceBytes,
    signal,
  })
}

/**
 * Reads a contained message from the source of the message, because the Gmail API does not document
 * how a contained message is sent as an attachment.
 */
async function readMessagePart(
  requests: GmailRequests,
  { id, partId }: { id: string; partId: string },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { content } = await downloadSource(requests, id, signal)
  const inner = findSourcePart(await concat(content), partId)
  if (!inner) throw partMissing()
  return concat(decodeTransferEncoding(contentOf(inner.body), inner.encoding))
}

async function openMember(
  requests: GmailRequests,
  member: 'raw' | 'data',
  request: GmailRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await unreadableIds(() => requests.open(request))
  const content = (async function* () {
    using _open = response
    yield* readBase64Member(response.body, member, request.signal)
  })()
  // The first chunk of a download from Gmail is awaited here: if the response of Gmail lacks the
  // content, the read fails before the caller starts its own response.
  const first = await content.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* content
  })()
}

async function concat(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

async function* contentOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

function partMissing(): MailApiError {
  return new MailApiError('part-missing', 'The message has no such part.')
}

import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import { bodyOf, faultResponse, GraphFault, isoOf, type Json } from './json.ts'
import { overConcurrency } from './batch.ts'
import { readable } from './reading.ts'
import type { GraphService, MailboxRequest, UploadSession } from './routes.ts'
import { attachmentIn } from './structured.ts'

const minSessionBytes = 2_097_152
const maxSessionBytes = 150_000_000
const sliceUnit = 327_680
const maxSliceBytes = 4 * 1024 * 1024

/** Origin of Graph upload sessions, which differs from the origin of other Graph requests. */
export const uploadOrigin = 'https://outlook.office.com'

/** Opens a Graph upload session for an attachment of a draft. */
export function openSession(request: MailboxRequest): ProviderResponse {
  const { fake, mailbox } = request
  const message = readable(request)
  if (fake.faults.delegatedShared)
    throw new GraphFault(
      403,
      'ErrorAccessDenied',
      'Access is denied. Check credentials and try again.',
    )
  const body = bodyOf(request)
  const item = (body['AttachmentItem'] ?? body['attachmentItem']) as Json
  const size = Number(item['size'])
  if (size < minSessionBytes)
    throw new GraphFault(
      400,
      'ErrorAttachmentSizeShouldNotBeLessThanMinimumSize',
      'The attachment is too small.',
    )
  if (size > maxSessionBytes)
    throw new GraphFault(400, 'ErrorAttachmentSizeLimitExceeded', 'The attachment is too large.')
  const key = String(fake.uploads.size + 1)
  fake.uploads.set(key, { mailbox, message, item, size, chunks: [], received: 0 })
  return {
    status: 201,
    body: {
      uploadUrl: `${uploadOrigin}/upload/${key}?authtoken=secret`,
      expirationDateTime: isoOf(mailbox.clock.now + 86_400_000),
      nextExpectedRanges: ['0-'],
    },
  }
}

/**
 * Handler of Graph upload sessions: stores a slice, or returns the state. Refuses requests with a
 * token, because the URL itself authorizes the upload.
 */
export function onUpload(fake: GraphService, request: ProviderRequest): ProviderResponse {
  const key = request.params['session'] ?? ''
  const session = fake.uploads.get(key)
  if (!session || request.query.get('authtoken') !== 'secret')
    return faultResponse(404, 'ErrorItemNotFound')
  if (request.headers.authorization !== undefined)
    return faultResponse(401, 'InvalidAuthenticationToken')
  const { mailbox } = session
  if (request.closed && !fake.concurrency.start(mailbox.address, request.closed))
    return overConcurrency().response
  if (request.method === 'GET') return { body: stateOf(session) }
  if (request.method === 'PUT') return onSlice(fake, session, request)
  fake.uploads.delete(key)
  return {}
}

function onSlice(
  fake: GraphService,
  session: UploadSession,
  request: ProviderRequest,
): ProviderResponse {
  const { headers, raw } = request
  const [, first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
  const length = Number(last) - Number(first) + 1
  const isLast = Number(last) + 1 === session.size
  const isExpected = Number(first) === session.received && Number(total) === session.size
  const isSized = length === raw.length && length < maxSliceBytes
  if (!isExpected || !isSized || (length % sliceUnit !== 0 && !isLast))
    return faultResponse(416, 'ErrorInvalidRange', 'The range is not the expected one.')
  const refused = fake.takeUpload(session.mailbox, request)
  if (refused) return refused.response
  session.chunks.push(raw)
  session.received += length
  if (session.received < session.size) return { body: stateOf(session) }
  const { item, mailbox, message } = session
  const attachment = attachmentIn(item, (prefix) => mailbox.newId(prefix))
  message.content.attachments.push({ ...attachment, bytes: Buffer.concat(session.chunks) })
  return { status: 201, headers: { location: 'https://graph.microsoft.com/v1.0/x/attachments/1' } }
}

function stateOf({ received }: UploadSession): object {
  return { ExpirationDateTime: '2026-12-01T00:00:00Z', NextExpectedRanges: [`${received}`] }
}

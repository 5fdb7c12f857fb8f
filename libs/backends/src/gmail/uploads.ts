import { randomUUID } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import { ProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ClientRequest } from '../provider-client/provider-client.ts'
import { type GmailRequests, type QueryValue, mailboxName, urlOf } from './requests.ts'

/**
 * Message that is uploaded to Gmail. Repeating the upload would store or send the message twice.
 */
export interface MessageUpload {
  operation: 'messages.insert' | 'messages.send' | 'drafts.create'
  path: '/messages' | '/messages/send' | '/drafts'
  content: Uint8Array
  threadId?: string
  labelIds?: readonly string[]
  query?: Readonly<Record<string, QueryValue>>
  fields: string
  signal: AbortSignal
}

/**
 * Size of a message above which Gmail refuses JSON: Gmail reports 413 from 5 MB of base64 on
 * (google-api-go-client #374).
 */
const maxJsonBytes = 3_500_000
/** Size of a message above which its upload to Gmail is resumed after a failure. */
const maxPlainBytes = 8_000_000
/**
 * Size below which Gmail always accepts a message as JSON. Some mailboxes accept 1 MiB of JSON
 * (dotnet-client #856).
 */
const safeJsonBytes = 500_000
/**
 * Bytes of a chunk of a message upload, a multiple of 256 KiB (guide "Uploading Attachments" of the
 * Gmail API).
 */
const chunkBytes = 8 * 1024 * 1024
const maxResumes = 3
/** Timeout of a request that uploads a message to Gmail: time for 35 MiB at 1 Mbit/s. */
const timeoutMs = 300_000

/** Uploads a message to Gmail in the form that Gmail accepts for its size. */
export async function uploadMessage<T extends object>(
  requests: GmailRequests,
  upload: MessageUpload,
): Promise<Partial<T>> {
  const { length } = upload.content
  if (length > maxPlainBytes) return uploadInChunks<T>(requests, upload)
  if (length > maxJsonBytes) return uploadWhole<T>(requests, upload)
  try {
    return await requests.json<T>({
      ...upload,
      method: 'POST',
      body: resourceOf(upload, Buffer.from(upload.content).toString('base64url')),
    })
  } catch (error) {
    if (length > safeJsonBytes && isTooMuchJson(error)) return uploadWhole<T>(requests, upload)
    throw error
  }
}

/**
 * True if Gmail refused a JSON request for its size before storing a message: status 413, or status
 * 400 with an HTML page or an unspecific reason.
 */
function isTooMuchJson(error: unknown): boolean {
  if (!isMailApiError(error) || !(error.cause instanceof ProviderError)) return false
  const { status, code } = error.cause
  return status === 413 || (status === 400 && (code === undefined || code === 'badRequest'))
}

/** Gmail resource of the upload: a message, or a draft with a message. */
function resourceOf({ path, threadId, labelIds }: MessageUpload, raw?: string): object {
  const message = defined({ raw, threadId, labelIds })
  return path === '/drafts' ? { message } : message
}

/**
 * Uploads a message to Gmail in one request. The request contains only the source of the message,
 * unless the message has a thread or labels.
 */
async function uploadWhole<T extends object>(
  requests: GmailRequests,
  upload: MessageUpload,
): Promise<Partial<T>> {
  const { content, threadId, labelIds } = upload
  const isPlain = threadId === undefined && labelIds === undefined
  const body = isPlain ? { type: 'message/rfc822', bytes: content } : multipartOf(upload)
  const { json } = await requests.raw<T>({
    ...uploadRequest(upload, isPlain ? 'media' : 'multipart'),
    headers: { 'content-type': body.type },
    body: body.bytes,
  })
  return json ?? {}
}

function multipartOf(upload: MessageUpload): { type: string; bytes: Uint8Array } {
  const boundary = randomUUID()
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n` +
    `${JSON.stringify(resourceOf(upload))}\r\n--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n`
  const bytes = Buffer.concat([
    Buffer.from(head),
    upload.content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return { type: `multipart/related; boundary=${boundary}`, bytes }
}

function uploadRequest(upload: MessageUpload, uploadType: string): ClientRequest {
  const { operation, path, query, fields, signal } = upload
  return {
    operation,
    method: 'POST',
    url: (mailbox, login) => {
      const parameters = { path, query: { uploadType, ...query }, fields }
      return urlOf(parameters, mailboxName(mailbox, login), '/upload')
    },
    repeatable: false,
    timeoutMs,
    signal,
  }
}

/**
 * Uploads a message in chunks with a resumable upload session of Gmail. The session reports which
 * bytes it has received, so that no chunk is stored twice.
 */
async function uploadInChunks<T extends object>(
  requests: GmailRequests,
  upload: MessageUpload,
): Promise<Partial<T>> {
  const { content } = upload
  const { headers } = await requests.raw({
    ...uploadRequest(upload, 'resumable'),
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'x-upload-content-type': 'message/rfc822',
      'x-upload-content-length': String(content.length),
    },
    body: JSON.stringify(resourceOf(upload)),
    // Starting an upload session of Gmail may be repeated, because a session without content has no
    // effect.
    repeatable: true,
  })
  const session = { upload, url: headers.location ?? '' }
  let offset = 0
  for (let failures = 0; failures <= maxResumes;) {
    const state = await sendChunk<T>(requests, session, offset)
    if (state.result) return state.result
    if (state.offset <= offset) failures++
    offset = state.offset
  }
  throw new MailApiError('unavailable', 'The upload does not continue')
}

interface UploadSession {
  upload: MessageUpload
  /**
   * URL of the upload session, sent by Gmail. A request to another origin than Gmail's fails before
   * it is sent.
   */
  url: string
}

interface UploadState<T> {
  result?: Partial<T>
  /** Number of bytes of an uploaded message that the upload session of Gmail has received. */
  offset: number
}

/**
 * Sends the next chunk of a message upload to Gmail. After a failure, requests from the upload
 * session how many bytes it has received.
 */
async function sendChunk<T extends object>(
  requests: GmailRequests,
  session: UploadSession,
  offset: number,
): Promise<UploadState<T>> {
  const { content } = session.upload
  const end = Math.min(offset + chunkBytes, content.length)
  try {
    const range = `bytes ${offset}-${end - 1}/${content.length}`
    const body = content.subarray(offset, end)
    return await put<T>(requests, session, { range, body, repeatable: false })
  } catch (error) {
    if (!isMailApiError(error, 'unavailable')) throw error
    return await findState<T>(requests, session)
  }
}

/**
 * Requests the state of a message upload from Gmail. If the request is refused, the state counts as
 * unknown: the upload session may have ended with the whole message stored.
 */
async function findState<T extends object>(
  requests: GmailRequests,
  session: UploadSession,
): Promise<UploadState<T>> {
  try {
    const range = `bytes */${session.upload.content.length}`
    return await put<T>(requests, session, { range, body: '', repeatable: true })
  } catch (error) {
    if (!isMailApiError(error)) throw error
    if (error.failure === 'rate-limited' || error.code === 'OAuthTokenRejected') throw error
    throw new MailApiError('unavailable', 'The state of the upload is unknown', { cause: error })
  }
}

async function put<T extends object>(
  requests: GmailRequests,
  { upload: { operation, signal }, url }: UploadSession,
  { range, ...chunk }: { range: string; body: Uint8Array | string; repeatable: boolean },
): Promise<UploadState<T>> {
  const { status, headers, json } = await requests.raw<T>({
    ...chunk,
    operation,
    // Asking Gmail for the state of an upload costs no quota, because the upload was counted when
    // its session started.
    count: 0,
    method: 'PUT',
    url,
    headers: { 'content-range': range },
    accept: [308],
    timeoutMs,
    signal,
  })
  if (status !== 308) return { result: json ?? {}, offset: 0 }
  const [, last] = /^bytes=0-(\d{1,12})$/.exec(String(headers['range'] ?? '')) ?? []
  return { offset: last === undefined ? 0 : Number(last) + 1 }
}

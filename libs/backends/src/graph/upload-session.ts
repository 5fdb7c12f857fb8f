import type { PartContent } from '@posthorn/mime'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { GraphUploadSession } from '../provider-types/graph.ts'
import type { GraphClient } from './graph-client.ts'
import { messagePath } from './lists.ts'
import type { StructuredFile } from './structured-message.ts'

/**
 * Size of an uploaded slice of a file in bytes. Graph requires multiples of 320 KiB below 4 MB
 * ("Attach large files to Outlook messages").
 */
const sliceBytes = 12 * 327_680
const maxFileBytes = 150_000_000
/** Maximum attempts to upload one slice of a file to Graph, if the attempts fail temporarily. */
const maxAttempts = 4

interface SessionState {
  NextExpectedRanges?: unknown
  nextExpectedRanges?: unknown
}

/**
 * Adds a file above 3 MB to a Graph draft, in slices. The URL of the upload session contains its
 * authorization, so requests to this URL send no token. After a failure, the upload continues at
 * the byte that Graph expects.
 *
 * @throws MailApiError `too-large`, also for shared mailboxes with delegated rights
 */
export async function uploadFile(
  client: GraphClient,
  { draft, file }: { draft: string; file: StructuredFile },
  signal: AbortSignal,
): Promise<void> {
  const { content } = file
  if (content.size > maxFileBytes)
    throw new MailApiError('too-large', 'An attachment is larger than 150 MB')
  const url = await createSession(client, { draft, file }, signal)
  const upload: Upload = { client, url, size: content.size, attempts: 0 }
  for (let start = 0; start < content.size;) {
    const from = start
    for await (const bytes of slicesOf(content, from)) {
      const next = await uploadSlice(upload, { start, bytes }, signal)
      const isExpected = next === start + bytes.length
      start = next
      // If Graph expects another byte of the uploaded file than the next byte, the file is read
      // again from the expected byte.
      if (!isExpected) break
    }
    if (start === from && upload.attempts === 0)
      throw new MailApiError('unavailable', 'The content of an attachment ended early')
  }
}

interface Upload {
  client: GraphClient
  url: string
  size: number
  /** Number of failed upload requests since Graph accepted the last slice of the file. */
  attempts: number
}

/** Uploads a slice of a file to Graph. Returns the byte that Graph expects next. */
async function uploadSlice(
  upload: Upload,
  { start, bytes }: { start: number; bytes: Buffer },
  signal: AbortSignal,
): Promise<number> {
  const { client, url, size } = upload
  const end = start + bytes.length
  try {
    const range = `bytes ${start}-${end - 1}/${size}`
    await client.upload(url, { body: bytes, range, signal })
    upload.attempts = 0
    return end
  } catch (error) {
    upload.attempts += 1
    if (!isMailApiError(error, 'unavailable') || upload.attempts >= maxAttempts) throw error
    return expectedStart(client, { url, fallback: start }, signal)
  }
}

/**
 * Slices of a file that is uploaded to Graph, from the byte `start` on. Only the last slice is
 * shorter than `sliceBytes`.
 */
async function* slicesOf(content: PartContent, start: number): AsyncGenerator<Buffer> {
  let skipped = start
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of content.chunks()) {
    const part = chunk.subarray(skipped)
    skipped = Math.max(0, skipped - chunk.length)
    rest = rest.length === 0 ? part : Buffer.concat([rest, part])
    for (; rest.length >= sliceBytes; rest = rest.subarray(sliceBytes))
      yield rest.subarray(0, sliceBytes)
  }
  if (rest.length > 0) yield rest
}

async function createSession(
  client: GraphClient,
  { draft, file }: { draft: string; file: StructuredFile },
  signal: AbortSignal,
): Promise<string> {
  const { content, name, contentType, isInline, contentId } = file
  const item = { attachmentType: 'file', name, size: content.size, contentType, isInline }
  const request = {
    method: 'POST' as const,
    path: `${messagePath(draft)}/attachments/createUploadSession`,
    json: { AttachmentItem: contentId === undefined ? item : { ...item, contentId } },
    // Creating a Graph upload session may be repeated, because an unused session expires without an
    // effect.
    repeatable: true,
    signal,
  }
  const session = await client.json<GraphUploadSession | undefined>(request).catch(refused)
  if (typeof session?.uploadUrl === 'string') return session.uploadUrl
  throw new MailApiError('unavailable', 'The provider opened an upload without an address')
}

/**
 * Converts the error of an upload to Graph. With delegated rights to a shared mailbox, Graph
 * refuses uploads.
 */
function refused(error: unknown): never {
  if (!isMailApiError(error, 'access-denied')) throw error
  throw new MailApiError('too-large', 'The mailbox does not accept files above 3 MB', {
    cause: error,
  })
}

/** First byte of an uploaded file that Graph has not received. */
async function expectedStart(
  client: GraphClient,
  { url, fallback }: { url: string; fallback: number },
  signal: AbortSignal,
): Promise<number> {
  const state = (await client.upload(url, { signal })).json as SessionState | undefined
  const ranges = state?.NextExpectedRanges ?? state?.nextExpectedRanges
  const first: unknown = Array.isArray(ranges) ? ranges[0] : undefined
  const start = typeof first === 'string' ? Number.parseInt(first, 10) : Number.NaN
  return Number.isSafeInteger(start) && start >= 0 ? start : fallback
}

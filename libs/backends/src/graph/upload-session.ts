import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { GraphUploadSession } from '../provider-types/graph.ts'
import type { GraphClient } from './graph-client.ts'
import { messagePath } from './lists.ts'
import type { StructuredFile } from './structured-message.ts'

/**
 * Bytes of a slice of a file upload. Slices are multiples of 320 KiB below 4 MB ("Attach large
 * files to Outlook messages").
 */
const sliceBytes = 12 * 327_680
const maxFileBytes = 150_000_000
/** Maximum attempts to upload a slice of a file after temporary failures. */
const maxAttempts = 4

interface SessionState {
  NextExpectedRanges?: unknown
  nextExpectedRanges?: unknown
}

/**
 * Adds a file above 3 MB to a Graph draft, in slices. The address of the upload session needs no
 * token and gets none. A slice that failed is sent again from the byte that Graph expects.
 *
 * @throws MailApiError `too-large`, also for shared mailboxes with delegated rights
 */
export async function uploadFile(
  client: GraphClient,
  { draft, file }: { draft: string; file: StructuredFile },
  signal: AbortSignal,
): Promise<void> {
  const { content } = file
  if (content.length > maxFileBytes)
    throw new MailApiError('too-large', 'An attachment is larger than 150 MB')
  const url = await createSession(client, { draft, file }, signal)
  let attempts = 0
  for (let start = 0; start < content.length;) {
    const end = Math.min(start + sliceBytes, content.length)
    const range = `bytes ${start}-${end - 1}/${content.length}`
    try {
      await client.upload(url, { body: content.subarray(start, end), range, signal })
      start = end
      attempts = 0
    } catch (error) {
      attempts += 1
      if (!isMailApiError(error, 'unavailable') || attempts >= maxAttempts) throw error
      start = await expectedStart(client, { url, fallback: start }, signal)
    }
  }
}

async function createSession(
  client: GraphClient,
  { draft, file }: { draft: string; file: StructuredFile },
  signal: AbortSignal,
): Promise<string> {
  const { content, name, contentType, isInline, contentId } = file
  const item = { attachmentType: 'file', name, size: content.length, contentType, isInline }
  const request = {
    method: 'POST' as const,
    path: `${messagePath(draft)}/attachments/createUploadSession`,
    json: { AttachmentItem: contentId === undefined ? item : { ...item, contentId } },
    // An unused upload session expires without an effect.
    repeatable: true,
    signal,
  }
  const session = await client.json<GraphUploadSession | undefined>(request).catch(refused)
  if (typeof session?.uploadUrl === 'string') return session.uploadUrl
  throw new MailApiError('unavailable', 'The provider opened an upload without an address')
}

/** Error of an upload to Graph. Delegated rights to a shared mailbox do not include uploads. */
function refused(error: unknown): never {
  if (!isMailApiError(error, 'access-denied')) throw error
  throw new MailApiError('too-large', 'The mailbox does not accept files above 3 MB', {
    cause: error,
  })
}

/** First byte of the file that Graph has not received. */
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

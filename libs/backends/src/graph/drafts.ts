import { randomUUID } from 'node:crypto'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { type MessageContent, toBytes } from '@posthorn/mime'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import { type ApiDraft, incompleteId } from '../mail-api/sending.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import type { GraphClient } from './graph-client.ts'
import { messagePath } from './lists.ts'
import { isId } from './message-fields.ts'
import { postWithHeaders, type StructuredHeaders } from './message-headers.ts'
import {
  isMimeOnly,
  type StructuredFile,
  type StructuredMessage,
  toStructured,
} from './structured-message.ts'
import { uploadFile } from './upload-session.ts'

export interface NewDraft {
  content: MessageContent
  /** Path of the Graph list in which a draft is created; defaults to the drafts of the mailbox. */
  path?: string
  /**
   * True to create a draft in the structured (JSON) format of Graph, unless the message can only be
   * sent as MIME.
   */
  structured?: boolean | undefined
  /**
   * Called before a Graph draft that takes several requests is created, with the Message-ID of the
   * incomplete draft, see `AppendTarget.onIncomplete`.
   */
  onIncomplete?: ((messageIdHeader: string) => Promise<void>) | undefined
}

/** Largest message that Graph accepts, in bytes of MIME. */
export const maxMessageBytes = apiAccountTypes.graph.mailbox.maxSentBytes
/**
 * Largest message that is sent to Graph as MIME in one request. Above about 2,240 kB, Graph
 * responds with status 200 and does nothing (microsoftgraph/microsoft-graph-docs-contrib issue
 * 3079).
 */
export const maxMimeBytes = 2_200_000
/**
 * Largest body of a Graph request in bytes, without header fields ("Attach large files to Outlook
 * messages").
 */
export const maxRequestBytes = 4_000_000
/**
 * Largest file of a message that is sent to Graph in one request. Larger files need an upload
 * session.
 */
const maxInlineBytes = 3_000_000

/**
 * Creates a Graph draft: from MIME, or in the structured format if the message is too large for
 * MIME. A draft that needs several requests gets its Message-ID last, and before that the
 * Message-ID of `incompleteId`. After a crash the incomplete draft is found and removed, and never
 * taken for the message.
 *
 * @throws MailApiError `too-large`, `invalid-recipients`, `mailbox-full`; with `leavesDraft` if the
 * incomplete draft could not be removed
 */
export async function createDraft(
  client: GraphClient,
  { content, path = '/messages', structured = false, onIncomplete }: NewDraft,
  signal: AbortSignal,
): Promise<ApiDraft> {
  signal.throwIfAborted()
  if (content.length > maxMessageBytes)
    throw new MailApiError('too-large', `The message is larger than ${maxMessageBytes} bytes`)
  if (await isSentAsMime(content, structured)) {
    const mime = await toBytes(content)
    const request = { method: 'POST' as const, path, mime, signal }
    const { status, json } = await client.response<GraphMessage>(request)
    if (status === 201) return draftOf(json)
  }
  return createStructured(client, { content, path, onIncomplete }, signal)
}

/**
 * True if a message is sent to Graph as MIME: the message is small enough, and its structured
 * format is not selected or not possible.
 */
export async function isSentAsMime(content: MessageContent, structured: boolean): Promise<boolean> {
  return content.length <= maxMimeBytes && !(structured && !(await isMimeOnly(content)))
}

export function draftOf(message: GraphMessage | undefined): ApiDraft {
  const { id, conversationId, changeKey } = message ?? {}
  if (!isId(id)) throw new MailApiError('unavailable', 'The provider created a draft without an id')
  return defined({
    id,
    messageId: id,
    threadId: isId(conversationId) ? conversationId : undefined,
    version: changeKey ?? undefined,
  })
}

async function createStructured(
  client: GraphClient,
  { content, path, onIncomplete }: NewDraft & { path: string },
  signal: AbortSignal,
): Promise<ApiDraft> {
  const { message, headers, messageIdHeader, files } = await toStructured(content)
  if (files.length === 0 || encodedSize({ message, headers, files }) <= maxRequestBytes) {
    const attachments = await attachmentsOf(files)
    const json = { ...message, ...defined({ internetMessageId: messageIdHeader, attachments }) }
    return postDraft(client, { path, json, headers }, signal)
  }
  // A message without a Message-ID gets a new Message-ID here, as Graph would add a Message-ID,
  // too.
  const internetMessageId = messageIdHeader ?? (await newMessageId(client, signal))
  const key = onIncomplete ? await newMessageId(client, signal) : internetMessageId
  await onIncomplete?.(key)
  const json = { ...message, internetMessageId: incompleteId(key) }
  const draft = await postDraft(client, { path, json, headers }, signal)
  try {
    for (const file of files) await addFile(client, { draft: draft.id, file }, signal)
    const request = { path: messagePath(draft.id), json: { internetMessageId }, signal }
    await client.json({ method: 'PATCH', ...request, repeatable: true })
    return draft
  } catch (error) {
    await removeDraft(client, draft.id).catch(() => {
      if (isMailApiError(error)) error.leavesDraft = true
    })
    throw error
  }
}

async function postDraft(
  client: GraphClient,
  { path, json, headers }: { path: string; json: object; headers: StructuredHeaders },
  signal: AbortSignal,
): Promise<ApiDraft> {
  const { posted, ...rest } = await postWithHeaders(headers, async (members) => {
    const request = { method: 'POST' as const, path, json: { ...json, ...members }, signal }
    const created = await client.response<GraphMessage>(request)
    if (created.status === 201) return draftOf(created.json)
    throw new MailApiError('unavailable', 'The provider created no draft')
  })
  return { ...posted, ...rest }
}

async function newMessageId(client: GraphClient, signal: AbortSignal): Promise<string> {
  const address = await client.mailbox(signal)
  return `<${randomUUID()}${address.slice(address.lastIndexOf('@'))}>`
}

/** Deletes a Graph draft permanently, also after the signal of its creation has ended. */
export async function removeDraft(
  client: GraphClient,
  id: string,
  signal: AbortSignal = AbortSignal.timeout(10_000),
): Promise<void> {
  const path = `${messagePath(id)}/permanentDelete`
  await client
    .response({ method: 'POST', path, repeatable: true, missing: 'message-missing', signal })
    .catch((error: unknown) => {
      if (!isMailApiError(error, 'message-missing')) throw error
    })
}

async function addFile(
  client: GraphClient,
  { draft, file }: { draft: string; file: StructuredFile },
  signal: AbortSignal,
): Promise<void> {
  if (!isSmall(file)) return uploadFile(client, { draft, file }, signal)
  const path = `${messagePath(draft)}/attachments`
  await client.response({ method: 'POST', path, json: await attachmentOf(file), signal })
}

/**
 * Small files of a message as attachments in one Graph request. Undefined for a message without
 * files.
 */
export async function attachmentsOf(
  files: readonly StructuredFile[],
): Promise<object[] | undefined> {
  return files.length > 0 ? Promise.all(files.map(attachmentOf)) : undefined
}

async function attachmentOf({ content, ...file }: StructuredFile): Promise<object> {
  const chunks: Buffer[] = []
  for await (const chunk of content.chunks()) chunks.push(chunk)
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    ...file,
    contentBytes: Buffer.concat(chunks).toString('base64'),
  }
}

function isSmall({ content }: StructuredFile): boolean {
  return content.size <= maxInlineBytes
}

/** Bytes of a Graph request with a message and its files. Base64 makes the files a third larger. */
export function encodedSize({
  message,
  headers,
  files,
}: Pick<StructuredMessage, 'message' | 'headers' | 'files'>): number {
  const bytes = files.reduce((sum, { content }) => sum + content.size + 300, 0)
  return Buffer.byteLength(JSON.stringify({ ...message, ...headers.members })) + (bytes * 4) / 3
}

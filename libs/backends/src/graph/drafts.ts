import { defined } from '@posthorn/contracts/defined'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ApiDraft } from '../mail-api/sending.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import type { GraphClient } from './graph-client.ts'
import { messagePath } from './lists.ts'
import { isId } from './message-fields.ts'
import { isMimeOnly, type StructuredFile, toStructured } from './structured-message.ts'
import { uploadFile } from './upload-session.ts'

export interface NewDraft {
  content: Uint8Array
  /** Path of the list that the draft is created in; defaults to the drafts of the mailbox. */
  path?: string
  /** Selects the structured format from the start. */
  structured?: boolean | undefined
}

/** Largest message that is converted to the structured format, in bytes. */
export const maxMessageBytes = 64 * 1024 * 1024
/**
 * Largest MIME text in one request. Above about 2,240 kB the service responds 200 and does nothing
 * (microsoftgraph/microsoft-graph-docs-contrib issue 3079).
 */
export const maxMimeBytes = 2_200_000
/** Largest request, less its header fields ("Attach large files to Outlook messages"). */
export const maxRequestBytes = 4_000_000
/** Largest file in one request. Larger ones need an upload session. */
const maxInlineBytes = 3_000_000

/**
 * Creates a draft: from MIME, or in the structured format if the message is too large for that. A
 * draft that needs several requests gets its Message-ID last, and before that the one of
 * `incompleteId`. After a crash it is found and removed, and never taken for the message.
 *
 * @throws MailApiError `too-large`, `invalid-recipients`, `mailbox-full`; with `leavesDraft` if the
 * incomplete draft could not be removed
 */
export async function createDraft(
  client: GraphClient,
  { content, path = '/messages', structured = false }: NewDraft,
  signal: AbortSignal,
): Promise<ApiDraft> {
  signal.throwIfAborted()
  if (content.length > maxMessageBytes)
    throw new MailApiError('too-large', `The message is larger than ${maxMessageBytes} bytes`)
  if (content.length <= maxMimeBytes && !(structured && !(await isMimeOnly(content)))) {
    const request = { method: 'POST' as const, path, mime: content, signal }
    const { status, json } = await client.response<GraphMessage>(request)
    if (status === 201) return draftOf(json)
  }
  return createStructured(client, { content, path }, signal)
}

export function draftOf(message: GraphMessage | undefined): ApiDraft {
  const { id, conversationId } = message ?? {}
  if (!isId(id)) throw new MailApiError('unavailable', 'The provider created a draft without an id')
  return defined({ id, messageId: id, threadId: isId(conversationId) ? conversationId : undefined })
}

async function createStructured(
  client: GraphClient,
  { content, path }: { content: Uint8Array; path: string },
  signal: AbortSignal,
): Promise<ApiDraft> {
  const { message, messageIdHeader, files } = await toStructured(content)
  const inline = encodedSize(message, files) <= maxRequestBytes ? files : []
  const later = files.filter((file) => !inline.includes(file))
  const internetMessageId = messageIdHeader
  const json = {
    ...message,
    ...defined({
      internetMessageId:
        internetMessageId !== undefined && later.length > 0
          ? incompleteId(internetMessageId)
          : internetMessageId,
    }),
    ...(inline.length > 0 && { attachments: inline.map(attachmentOf) }),
  }
  const created = await client.response<GraphMessage>({ method: 'POST', path, json, signal })
  if (created.status !== 201) throw new MailApiError('unavailable', 'The provider created no draft')
  const draft = draftOf(created.json)
  if (later.length === 0) return draft
  try {
    for (const file of later) await addFile(client, { draft: draft.id, file }, signal)
    if (internetMessageId !== undefined)
      await client.json({
        method: 'PATCH',
        path: messagePath(draft.id),
        json: { internetMessageId },
        repeatable: true,
        signal,
      })
    return draft
  } catch (error) {
    await removeDraft(client, draft.id).catch(() => {
      if (isMailApiError(error)) error.leavesDraft = true
    })
    throw error
  }
}

/** Message-ID of a draft that lacks files, from that of the message. */
export function incompleteId(messageIdHeader: string): string {
  return messageIdHeader.replace(/^<?/, '<incomplete.')
}

/** Deletes a draft permanently, also after the signal of its creation has ended. */
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
  await client.response({ method: 'POST', path, json: attachmentOf(file), signal })
}

export function attachmentOf({ content, ...file }: StructuredFile): object {
  return {
    '@odata.type': '#microsoft.graph.fileAttachment',
    ...file,
    contentBytes: content.toString('base64'),
  }
}

function isSmall({ content }: StructuredFile): boolean {
  return content.length <= maxInlineBytes
}

/** Bytes of a message with its files in one request: base64 takes a third more. */
export function encodedSize(message: object, files: readonly StructuredFile[]): number {
  const bytes = files.reduce((sum, { content }) => sum + content.length + 300, 0)
  return Buffer.byteLength(JSON.stringify(message)) + (bytes * 4) / 3
}

import { defined } from '@posthorn/contracts/defined'
import type { StreamedResponse } from '@posthorn/net/call'
import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ApiAttachment, ApiDownload } from '../mail-api/messages.ts'
import type { GraphAttachment, GraphFileAttachment } from '../provider-types/graph.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { entriesOf } from './list-entries.ts'
import { messagePath } from './lists.ts'

type AnyAttachment = GraphAttachment & Pick<GraphFileAttachment, 'contentId'>

/**
 * Properties of Graph attachments to read: without `$select`, Graph sends contents. The Content-ID
 * exists for files only.
 */
const select = 'id,name,contentType,size,isInline,microsoft.graph.fileAttachment/contentId'
const maxPartIdLength = 512
/**
 * Maximum attachments of a Graph message that are listed. Graph chooses the page size: 10
 * attachments or more.
 */
const maxAttachments = 1_000

/**
 * Lists the attachments of a Graph message in the order of Graph. Item attachments are contained
 * messages.
 */
export async function listAttachments(
  client: GraphClient,
  id: string,
  signal: AbortSignal,
): Promise<ApiAttachment[]> {
  const listed: AnyAttachment[] = []
  let query: string | Record<string, string> = { $select: select, $top: '100' }
  for (;;) {
    const page: { value?: AnyAttachment[]; '@odata.nextLink'?: string } = await client.json({
      path: `${messagePath(id)}/attachments`,
      query,
      signal,
    })
    listed.push(...entriesOf(page))
    const link = page['@odata.nextLink']
    if (link === undefined || listed.length >= maxAttachments) break
    query = linkQuery(link)
  }
  return listed.flatMap(toAttachment)
}

function toAttachment(attachment: AnyAttachment): ApiAttachment[] {
  const { id, contentId, isInline, size } = attachment
  if (typeof id !== 'string' || !/^[!-~]+$/.test(id) || id.length > maxPartIdLength) return []
  return [
    defined({
      partId: id,
      contentType: contentTypeOf(attachment),
      size: typeof size === 'number' ? size : undefined,
      filename: filenameOf(attachment),
      contentId: contentId?.replace(/^<|>$/g, '') || undefined,
      embedded: isInline === true && Boolean(contentId),
      external: isReference(attachment) ? (true as const) : undefined,
    }),
  ]
}

/** Downloads one attachment of a Graph message. An attached item is downloaded as MIME. */
export async function downloadAttachment(
  client: GraphClient,
  { id, partId }: { id: string; partId: string },
  signal: AbortSignal,
): Promise<ApiDownload> {
  if (!/^[!-~]{1,512}$/.test(partId) || /^\.\.?$/.test(partId)) throw partMissing()
  const path = `${messagePath(id)}/attachments/${encodeURIComponent(partId)}`
  const missing = 'part-missing' as const
  const attachment = await client.json<AnyAttachment>({
    path,
    query: { $select: 'id,name,contentType,size,isInline' },
    missing,
    signal,
  })
  if (typeof attachment?.id !== 'string')
    throw incompleteResponse('The provider sent an attachment without an id')
  if (isReference(attachment))
    throw new MailApiError('unsupported-operation', 'The attachment is a link to a file')
  const response = await client.open({ path: `${path}/$value`, missing, signal })
  return downloadOf(response, {
    contentType: contentTypeOf(attachment),
    filename: filenameOf(attachment),
  })
}

/**
 * Creates the download of a Graph response's body. The size is unknown if the body is compressed.
 */
export function downloadOf(
  response: StreamedResponse,
  { contentType, filename }: { contentType: string; filename?: string | undefined },
): ApiDownload {
  const { headers } = response
  const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined
  return defined({
    size: length === undefined ? undefined : Number(length),
    contentType,
    filename,
    content: contentOf(response),
  })
}

async function* contentOf(response: StreamedResponse): AsyncGenerator<Uint8Array> {
  using closed = response
  try {
    yield* closed.body as AsyncIterable<Uint8Array>
  } catch (error) {
    if (isMailApiError(error)) throw error
    throw new MailApiError('unavailable', 'The download is incomplete', { cause: error })
  }
}

function typeOf(attachment: AnyAttachment): string {
  const type: unknown = (attachment as Record<string, unknown>)['@odata.type']
  return typeof type === 'string' ? type : ''
}

function isReference(attachment: AnyAttachment): boolean {
  return typeOf(attachment).endsWith('referenceAttachment')
}

function isItem(attachment: AnyAttachment): boolean {
  return typeOf(attachment).endsWith('itemAttachment')
}

function contentTypeOf(attachment: AnyAttachment): string {
  if (isItem(attachment)) return 'message/rfc822'
  return attachment.contentType?.toLowerCase() || 'application/octet-stream'
}

function filenameOf(attachment: AnyAttachment): string | undefined {
  const { name } = attachment
  if (!name) return undefined
  return isItem(attachment) ? `${name}.eml` : name
}

function partMissing(): MailApiError {
  return new MailApiError('part-missing', 'The attachment does not exist')
}

import type { GmailState } from './gmail-state.ts'
import type { FakeMessage } from './mailbox.ts'
import { headersOf, payloadOf, snippetOf, toBase64 } from './payload.ts'

/**
 * Creates Gmail's resource `Message` in the format that the query parameters select. Each resource
 * has new attachment ids.
 */
export function describeMessage(
  gmail: GmailState,
  message: FakeMessage,
  query: URLSearchParams,
): object {
  const { id, threadId, labels, mime, raw, historyId, internalDate } = message
  const common = {
    id,
    threadId,
    ...(labels.size > 0 && { labelIds: [...labels] }),
    snippet: snippetOf(mime),
    historyId: String(historyId),
    internalDate: String(internalDate),
    sizeEstimate: raw.length,
  }
  const format = query.get('format') ?? 'full'
  if (format === 'minimal') return common
  if (format === 'raw') return { ...common, raw: toBase64(raw) }
  if (format === 'metadata') {
    const names = query.getAll('metadataHeaders').map((name) => name.toLowerCase())
    const headers = headersOf(mime).filter(
      ({ name }) => names.length === 0 || names.includes(name.toLowerCase()),
    )
    return { ...common, payload: { mimeType: `${mime.type}/${mime.subtype}`, headers } }
  }
  const payload = payloadOf(mime, {
    largeTextBytes: gmail.switches.largeTextBytes,
    newAttachmentId: (partId) => {
      const attachmentId = gmail.newText('ANGjdJ')
      gmail.attachmentIds.set(attachmentId, { messageId: id, partId })
      return attachmentId
    },
  })
  return { ...common, payload }
}

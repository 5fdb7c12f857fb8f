import { incompleteResponse } from '../../mail-api/errors.ts'
import type { GetOptions } from '../../mail-api/messages.ts'
import type { GmailMessage, GmailMessagePart } from '../../provider-types/gmail.ts'
import { readParts } from './parts.ts'

/**
 * Refuses a Gmail message without the members that Gmail sends with every message: these members
 * are missing while a Gmail server has no complete copy of a new message. Header fields are never
 * missing, because Gmail adds some to messages without any.
 * @throws MailApiError `unavailable` with `incomplete`
 */
export function assertComplete(
  { payload, snippet }: Partial<GmailMessage>,
  { attachments, maxTextBytes }: GetOptions,
): void {
  const hasHeaders = Array.isArray(payload?.headers) && payload.headers.length > 0
  const isComplete = attachments || maxTextBytes !== undefined ? hasContent(payload, snippet) : true
  if (!hasHeaders || !isComplete) throw incompleteMessage()
}

/**
 * True if each text part of a Gmail message has its content. A multipart without parts is accepted
 * only if Gmail sent no preview (snippet) of the message.
 */
function hasContent(payload: GmailMessagePart | undefined, snippet: string | undefined): boolean {
  if (!payload) return false
  const parts = readParts(payload)
  if (parts.length === 0) return !snippet
  return parts.every(
    ({ type, size, data, attachmentId }) =>
      !type.startsWith('text/') || size === 0 || data !== undefined || attachmentId !== undefined,
  )
}

export function incompleteMessage() {
  return incompleteResponse('The response of Gmail lacks a part of the message')
}

import {
  type AttachmentSource,
  type FieldError,
  fieldError,
  type Reference,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

/** An attachment has either a content or a reference. */
export function attachmentFields(attachments: readonly AttachmentSource[] = []): FieldError[] {
  return attachments.flatMap(({ content, reference }, at) => {
    if (content === undefined)
      return reference
        ? []
        : [fieldError(`attachments.${at}.content`, 'is required without a reference')]
    if (reference)
      return [fieldError(`attachments.${at}.reference`, 'is not allowed beside "content"')]
    return isEmpty(content) ? [fieldError(`attachments.${at}.content`, 'must not be empty')] : []
  })
}

/** Base64 of nothing: spaces, padding, or a single character. */
function isEmpty(content: string): boolean {
  return content.length < 1_000 && Buffer.from(content, 'base64').length === 0
}

export function referenceFields(reference: Reference | undefined): FieldError[] {
  if (!reference) return []
  const { message, threadId, action = 'reply', forwardAttachments } = reference
  return [
    ...(message === undefined && threadId === undefined
      ? [fieldError('reference.message', 'is required')]
      : []),
    ...(forwardAttachments && action !== 'forward'
      ? [fieldError('reference.forwardAttachments', 'is allowed for action "forward" alone')]
      : []),
  ]
}

/** @throws AppError `invalid` `UnsupportedOperation`: servers of mail have no threads to refer to */
export function assertNoThread(reference: Reference | undefined): void {
  if (reference && reference.message === undefined)
    throw new AppError('invalid', 'The account cannot refer to a thread, only to a message', {
      code: 'UnsupportedOperation',
    })
}

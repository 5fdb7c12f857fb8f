import { type FieldError, fieldError, invalid, type MessageUpload } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

const structured = [
  'from',
  'to',
  'cc',
  'bcc',
  'subject',
  'text',
  'html',
  'attachments',
  'messageId',
  'headers',
] as const

/** What the schema cannot say: which fields exclude each other, and which need each other. */
export function checkUpload(upload: MessageUpload): void {
  const fields = [...rawFields(upload), ...attachmentFields(upload), ...referenceFields(upload)]
  if (fields.length > 0) throw invalid(fields)
  if (upload.reference && upload.reference.message === undefined)
    throw new AppError('invalid', 'The account cannot refer to a thread, only to a message', {
      code: 'UnsupportedOperation',
    })
}

function rawFields(upload: MessageUpload): FieldError[] {
  if (upload.raw === undefined) return []
  const beside = structured.filter((name) => upload[name] !== undefined)
  return beside.map((name) => fieldError(name, 'is not allowed beside "raw"'))
}

function attachmentFields({ attachments = [] }: MessageUpload): FieldError[] {
  return attachments.flatMap(({ content, reference }, at) => {
    if (content === undefined && !reference)
      return [fieldError(`attachments.${at}.content`, 'is required without a reference')]
    if (content !== undefined && reference)
      return [fieldError(`attachments.${at}.reference`, 'is not allowed beside "content"')]
    return []
  })
}

function referenceFields({ reference }: MessageUpload): FieldError[] {
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

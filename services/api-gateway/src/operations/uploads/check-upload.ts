import {
  type FieldError,
  fieldError,
  validationError,
  type MessageUpload,
} from '@posthorn/contracts'
import { assertNoThread, attachmentFields, referenceFields } from '../../composing/check-content.ts'

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
  const fields = [
    ...rawFields(upload),
    ...attachmentFields(upload.attachments),
    ...referenceFields(upload.reference),
  ]
  if (fields.length > 0) throw validationError(fields)
  assertNoThread(upload.reference)
}

function rawFields(upload: MessageUpload): FieldError[] {
  if (upload.raw === undefined) return []
  const beside = structured.filter((name) => upload[name] !== undefined)
  return beside.map((name) => fieldError(name, 'is not allowed beside "raw"'))
}

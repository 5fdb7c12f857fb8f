import { randomUUID } from 'node:crypto'
import { uploadMessage } from '@posthorn/contracts/commands/messages'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type { MessageUpload } from '@posthorn/contracts/schemas/upload'
import { validationError } from '@posthorn/contracts/validate'
import { attachmentFields, collectAttachments } from '../../composing/attachments.ts'
import { composeUpload } from '../../composing/compose-upload.ts'
import {
  assertNoThread,
  readOriginal,
  referenceFields,
  referenceResult,
  withLanguage,
} from '../../composing/references.ts'
import { callWorker, type WorkerCall } from '../../http/call-worker.ts'
import { handle } from '../../http/handle.ts'
import { getOwner } from '../../store/accounts/accounts.ts'
import { deleteUpload, insertUpload } from '../../store/messages/uploads.ts'
import type { OperationDeps } from '../operation-deps.ts'

type UploadDeps = Pick<
  OperationDeps,
  'db' | 'bus' | 'timeoutMs' | 'outbox' | 'settings' | 'tasks' | 'maxUploadBytes' | 'reader'
>

/**
 * Stores an uploaded message in a mailbox. The bytes reach the worker through the table `uploads`,
 * because they are too large for RabbitMQ. Bytes that no worker has processed are deleted.
 */
export function onUploadMessage(deps: UploadDeps) {
  return handle(operations.uploadMessage, async (input) => {
    const { params, body: upload } = input
    checkUpload(upload)
    const [stored, settings] = await Promise.all([
      getOwner(deps.db, params.account),
      deps.settings.get(),
    ])
    const owner = withLanguage(stored, settings)
    const { reference } = upload
    const original = reference && (await readOriginal(deps, input, reference))
    const forwards = upload.raw === undefined && reference?.forwardAttachments
    const forwarded = forwards ? original?.attachments : undefined
    const sources = defined({
      attachments: upload.attachments,
      forwarded,
      maxBytes: deps.maxUploadBytes,
    })
    const attached = await collectAttachments(deps, input, sources)
    const read = deps.reader.forAccount(params.account, input.signal)
    const { mime, messageId } = await composeUpload({ upload, owner, original, attached, read })
    return {
      ...(await sendToWorker(deps, input, { mime, upload })),
      ...defined({ messageId, reference: reference && referenceResult(reference, original) }),
    }
  })
}

const notBesideRaw = [
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

/**
 * Checks rules for an uploaded message that the schema cannot express: fields that exclude or
 * require each other.
 */
function checkUpload(upload: MessageUpload): void {
  const besideRaw =
    upload.raw === undefined ? [] : notBesideRaw.filter((name) => upload[name] !== undefined)
  const fields = [
    ...besideRaw.map((name) => fieldError(name, 'is not allowed beside "raw"')),
    ...attachmentFields(upload.attachments),
    ...referenceFields(upload.reference),
  ]
  if (fields.length > 0) throw validationError(fields)
  assertNoThread(upload.reference)
}

async function sendToWorker(
  { outbox, tasks, ...deps }: UploadDeps,
  call: WorkerCall,
  { mime, upload: { path, flags, internalDate } }: { mime: Buffer; upload: MessageUpload },
) {
  const { account } = call.params
  const upload = randomUUID()
  await insertUpload(outbox, { id: upload, account, mime })
  const options = defined({ flags, internalDate: internalDate || undefined })
  const request = { account, upload, size: mime.length, path, ...options }
  try {
    return await callWorker(deps, call, [uploadMessage, request])
  } catch (error) {
    tasks.run(deleteUpload(outbox, upload))
    throw error
  }
}

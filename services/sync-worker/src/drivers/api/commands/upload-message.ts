import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import { AppError } from '@posthorn/errors'
import { deleteUploadDraft, insertUploadDraft } from '../../../store/upload-drafts.ts'
import { takeUpload } from '../../../store/uploads.ts'
import type { AccountRequest } from '../../account-driver.ts'
import { pathOf } from '../events/folder-names.ts'
import type { ApiWork } from './api-command.ts'
import { hasFlag } from './change-message.ts'
import { getFolder } from './folders.ts'

/** Maximum bytes of all uploaded messages that a worker holds in memory. */
export const maxUploadBytes = 64 * 1024 * 1024

/**
 * Stores an uploaded message in a folder. Deletes the row of the upload before the request to the
 * provider, so that a redelivered command cannot store the message twice. Leaves out flags that the
 * provider does not support.
 */
export function uploadMessage(request: AccountRequest<'uploadMessage'>): ApiWork<'uploadMessage'> {
  const { flags = [], internalDate } = request
  const receivedAt = internalDate === undefined ? undefined : parseDate(internalDate)
  return async (command) => {
    const { account, api, db, signal } = command
    const folder = await getFolder(command, request.path)
    using _permit = await command.uploadMemory.acquire(signal, request.size)
    const mime = await takeUpload(db, { id: request.upload, account })
    if (!mime)
      throw new AppError('unavailable', 'The upload was cancelled, upload the message again', {
        code: 'WorkerNotAvailable',
      })
    const target = defined({
      folderId: folder.id,
      unseen: !hasFlag(flags, '\\Seen'),
      flagged: hasFlag(flags, '\\Flagged'),
      draft: hasFlag(flags, '\\Draft') || folder.specialUse === '\\Drafts',
      receivedAt,
    })
    // The abort signal of an upload ends the upload at the command's deadline. The cleanup of the
    // upload's incomplete draft starts after that time.
    const endsInMs = command.deadline - Date.now()
    let isRecorded = false
    const onIncomplete = async (messageId: string) => {
      await insertUploadDraft(db, { upload: request.upload, account, messageId }, endsInMs)
      isRecorded = true
    }
    try {
      const { id } = await api.appendMessage(mime, { ...target, onIncomplete }, signal)
      // After the upload of a message is complete, the record of its draft is deleted. If this
      // deletion or the upload fails, a cleanup searches for the draft later.
      if (isRecorded) await deleteUploadDraft(db, request.upload).catch(() => undefined)
      return { id, path: pathOf(folder) }
    } finally {
      command.requestPass()
    }
  }
}

import type { BodyPart } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { getAttachment } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { decodeAttachmentId } from '@posthorn/message-id'
import { describePart } from '../messages/body.ts'
import { assertConnected, type CommandDeps, sessionOf } from './account.ts'
import { startDownload } from './download.ts'
import { getMailboxOf, messageNotFound, openFor, unlessTooNew } from './mailbox.ts'

/** The bytes of an attachment, decoded, piece by piece as fast as they are taken. */
export function onGetAttachment(deps: CommandDeps): CommandHandler {
  return on(getAttachment, async ({ account, attachment }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { mailbox, uid, part } = decodeAttachmentId(attachment)
    const row = await getMailboxOf(deps.db, account, mailbox)
    const { download, body } = await startDownload(
      session,
      { signal, mailbox: row.path },
      async (mail) => {
        await openFor(mail, row, { readOnly: true })
        return unlessTooNew(mail, () => mail.downloadPart(uid, part)).catch(asNotFound)
      },
    )
    const { size, part: found } = download
    return {
      response: { ...headOf(found), ...(size === undefined ? {} : { encodedSize: size }) },
      body,
    }
  })
}

/** Of a message without such a part, the attachment does not exist either. */
function asNotFound(error: unknown): never {
  throw error instanceof AppError && error.kind === 'not-found' ? messageNotFound() : error
}

function headOf(part: BodyPart | undefined) {
  if (!part) return { contentType: 'application/octet-stream' }
  const { contentType, charset, filename } = describePart(part)
  return {
    contentType,
    ...(charset === undefined ? {} : { charset }),
    ...(filename === undefined ? {} : { filename }),
  }
}

import type { BodyPart } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { getAttachment } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { decodeAttachmentId } from '@posthorn/message-id'
import { describePart } from '../messages/outline.ts'
import { assertConnected, type CommandDeps, getSession } from './account.ts'
import { startDownload } from './download.ts'
import { getMailboxByNumber, messageNotFound, selectMailboxOf, retryAfterNoop } from './mailbox.ts'

/** The bytes of an attachment, decoded, piece by piece as fast as they are taken. */
export function onGetAttachment(deps: CommandDeps): CommandHandler {
  return on(getAttachment, async ({ account, attachment }, { signal }) => {
    const session = getSession(deps, account)
    assertConnected(session)
    const { mailbox, uid, part } = decodeAttachmentId(attachment)
    const row = await getMailboxByNumber(deps.db, account, mailbox)
    const { download, body } = await startDownload(
      session,
      { signal, mailbox: row.path },
      async (mail) => {
        await selectMailboxOf(mail, row, { readOnly: true })
        return retryAfterNoop(mail, () => mail.downloadPart(uid, part)).catch(asNotFound)
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

import type { BodyPart, Download, MailSession } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { decodeAttachmentId } from '@posthorn/message-id'
import { describePart } from '../messages/outline.ts'
import type { PooledConnection } from '../connections/command-pool.ts'
import type { AccountReply, AccountRequest } from '../../account-driver.ts'
import { toUnavailable } from '../../availability.ts'
import type { AccountCommand, CommandDeps } from './account.ts'
import { getMailboxByNumber, locateMessage, messageNotFound, readInMailbox } from './mailbox.ts'

/** Maximum bytes of one download (attachment or message source). A larger download is aborted. */
const maxDownloadBytes = 250 * 1024 * 1024

/** Streams the decoded bytes of an attachment, as fast as the consumer reads. */
export async function getAttachment(
  { attachment }: AccountRequest<'getAttachment'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'getAttachment'>> {
  const { mailbox, uid, part } = decodeAttachmentId(attachment)
  const row = await getMailboxByNumber(deps.db, target.account, mailbox)
  const { download, body } = await startDownload(target, row.path, async (mail) => {
    const read = () => mail.downloadPart(uid, part).catch(toMessageNotFound)
    return readInMailbox(mail, { row, readOnly: true }, read)
  })
  const response = defined({ ...describe(download.part), encodedSize: download.size })
  return { response, body }
}

/** Streams the unchanged source of a message, as fast as the consumer reads. */
export async function getMessageSource(
  { message }: AccountRequest<'getMessageSource'>,
  target: AccountCommand,
  deps: CommandDeps,
): Promise<AccountReply<'getMessageSource'>> {
  const { row, uid } = await locateMessage(deps.db, target.account, message)
  const { download, body } = await startDownload(target, row.path, async (mail) => {
    return readInMailbox(mail, { row, readOnly: true }, () => mail.downloadSource(uid))
  })
  return { response: defined({ size: download.size }), body }
}

/** Replaces the error of a missing message, mailbox or MIME part by a `MessageNotFound` error. */
function toMessageNotFound(error: unknown): never {
  throw error instanceof AppError && error.kind === 'not-found' ? messageNotFound() : error
}

function describe(part: BodyPart | undefined) {
  if (!part) return { contentType: 'application/octet-stream' }
  return defined(describePart(part))
}

interface StartedDownload {
  download: Download
  /**
   * Content of the downloaded attachment or message source. The IMAP connection returns to the
   * command pool when the content ends, the consumer stops reading, or the download is aborted.
   */
  body: AsyncIterable<Uint8Array>
}

/**
 * Starts a download on an IMAP connection of the command pool. If a reused connection turns out to
 * be lost, starts again on another connection.
 *
 * @throws AppError `too-large` if the size announced by the server exceeds the limit
 */
async function startDownload(
  { session, signal }: AccountCommand,
  mailbox: string,
  start: (mail: MailSession) => Promise<Download>,
): Promise<StartedDownload> {
  const request = { signal, mailbox, longRunning: true, consumerPaced: true }
  for (;;) {
    let connection: PooledConnection | undefined
    try {
      connection = await session.commands.acquire(request)
      const download = await start(connection.session)
      // The size limit of downloads applies to decoded bytes, while the size that the server
      // announces for a MIME part is in base64, which needs four bytes for three bytes, and line
      // ends.
      if ((download.size ?? 0) > maxDownloadBytes * (download.part ? 1.4 : 1)) throw tooLarge()
      return { download, body: releaseAtEnd(download.content, connection, signal) }
    } catch (error) {
      const isLost = error instanceof AppError && error.kind === 'unreachable'
      connection?.release(isLost)
      if (!isLost || !connection?.reused || signal.aborted) throw toUnavailable(session, error)
    }
  }
}

function tooLarge(): AppError {
  return new AppError('too-large', 'Too large for one download')
}

/**
 * Iterates over the content of a download and returns its IMAP connection to the pool at the end.
 * Closes the connection after an incomplete download, because the server may still be sending.
 * Limits the number of bytes, because the announced size may be wrong.
 */
function releaseAtEnd(
  content: AsyncIterable<Uint8Array>,
  { release }: PooledConnection,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]()
  let length = 0
  const abort = () => release(true)
  const end = (broken: boolean) => {
    signal.removeEventListener('abort', abort)
    release(broken)
  }
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const chunk = await chunks.next()
          if (chunk.done) end(false)
          else length += chunk.value.length
          if (length > maxDownloadBytes) throw tooLarge()
          return chunk
        } catch (error) {
          end(true)
          throw error
        }
      },
      async return() {
        end(true)
        return { done: true, value: undefined }
      },
    }),
  }
}

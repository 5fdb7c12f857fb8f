import type { Download, MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { PooledConnection } from '../sessions/command-pool.ts'
import { toUnavailable } from './account.ts'

/** What one download may have; beyond it the answer breaks off. */
const maxDownloadBytes = 250 * 1024 * 1024

/** A download under way. */
export interface StreamedDownload {
  download: Download
  /** Gives the connection back when it ends, is left early, or the asker goes away. */
  body: AsyncIterable<Uint8Array>
}

/**
 * Borrows a connection and begins a download on it; once more where the connection had died of old age.
 *
 * @throws AppError `too-large` for what is announced to be too much for one download
 */
export async function startDownload(
  session: AccountSession,
  { signal, mailbox }: { signal: AbortSignal; mailbox: string },
  begin: (mail: MailSession) => Promise<Download>,
): Promise<StreamedDownload> {
  for (;;) {
    let borrowed: PooledConnection | undefined
    try {
      borrowed = await session.commands.acquire({
        signal,
        mailbox,
        longRunning: true,
        consumerPaced: true,
      })
      const download = await begin(borrowed.session)
      // Base64 makes four of three and adds line ends.
      if ((download.size ?? 0) > maxDownloadBytes * (download.part ? 1.4 : 1)) throw tooLarge()
      return { download, body: releaseAtEnd(limitBytes(download.content), borrowed, signal) }
    } catch (error) {
      const gone = error instanceof AppError && error.kind === 'unreachable'
      borrowed?.release(gone)
      if (!gone || !borrowed?.reused || signal.aborted) throw toUnavailable(session, error)
    }
  }
}

/** What was announced is not always what comes. */
async function* limitBytes(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const piece of content) {
    length += piece.length
    if (length > maxDownloadBytes) throw tooLarge()
    yield piece
  }
}

function tooLarge(): AppError {
  return new AppError('too-large', 'Too large for one download')
}

/**
 * The pieces of a download, which give the connection back when they end, are left early, or the asker goes away. A connection with a
 * download cut short is closed: the rest of the message may still be on its way there.
 */
function releaseAtEnd(
  content: AsyncIterable<Uint8Array>,
  { release }: PooledConnection,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  const cut = () => release(true)
  const end = (broken: boolean) => {
    signal.removeEventListener('abort', cut)
    release(broken)
  }
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const piece = await pieces.next()
          if (piece.done) end(false)
          return piece
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

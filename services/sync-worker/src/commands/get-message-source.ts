import type { Download } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { getMessageSource } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { AccountSession } from '../sessions/account-session.ts'
import type { Borrowed } from '../sessions/command-pool.ts'
import { assertConnected, type CommandDeps, sessionOf, unavailable } from './account.ts'
import { locateMessage, openFor } from './mailbox.ts'

/** The message as the server has it, piece by piece as fast as they are taken. */
export function onGetMessageSource(deps: CommandDeps): CommandHandler {
  return on(getMessageSource, async ({ account, message }, { signal }) => {
    const session = sessionOf(deps, account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, account, message)
    const { borrowed, download } = await start(session, signal, async (given) => {
      await openFor(given.session, row, { readOnly: true })
      return given.session.downloadSource(uid)
    })
    return {
      response: download.size === undefined ? {} : { size: download.size },
      body: releasing(download, borrowed, signal),
    }
  })
}

/** Borrows a connection and begins a download on it; once more where the connection had died of old age. */
async function start(
  session: AccountSession,
  signal: AbortSignal,
  begin: (borrowed: Borrowed) => Promise<Download>,
): Promise<{ borrowed: Borrowed; download: Download }> {
  for (;;) {
    let borrowed: Borrowed | undefined
    try {
      borrowed = await session.commands.borrow(signal)
      return { borrowed, download: await begin(borrowed) }
    } catch (error) {
      const gone = error instanceof AppError && error.kind === 'unreachable'
      borrowed?.release(gone)
      if (!gone || !borrowed?.reused || signal.aborted) throw unavailable(session, error)
    }
  }
}

/**
 * The pieces of a download, which give the connection back when they end, are left early, or the asker goes away. A connection with a
 * download cut short is closed: the rest of the message is still on its way there.
 */
function releasing(
  { content }: Download,
  { release }: Borrowed,
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

import type { CommandHandler } from '@posthorn/bus'
import { accountCommands } from '@posthorn/contracts/commands'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { KeyedMutex } from '@posthorn/flow'
import type {
  AccountCommandName,
  AccountCommandTable,
  AccountDriver,
  CommandLimits,
} from '../drivers/account-driver.ts'
import type { Registry } from '../sessions/registry.ts'
import { deleteUpload } from '../store/uploads.ts'

export interface HandlerDeps {
  db: Db
  sessions: Pick<Registry, 'findPrepared'>
}

/**
 * Creates the handlers of all commands that the worker of an account serves. The driver of the
 * account runs the commands.
 */
export function createHandlers({ db, sessions }: HandlerDeps): CommandHandler[] {
  const run: AccountDriver['run'] = (name, request, limits) =>
    sessions.findPrepared(request.account, limits.signal).then((session) => {
      if (!session) throw notHeld()
      return session.driver.run(name, request, limits).catch((error: unknown) => {
        // The end of an account session aborts the commands that wait for a connection of the
        // session. The next worker that holds the account can run these commands.
        if (session.isStopped && isAbort(error) && !limits.signal.aborted) throw notHeld(error)
        throw error
      })
    })
  const filings = new KeyedMutex<string>()
  const exceptions: Partial<AccountCommandTable<[CommandLimits]>> = {
    // Requests to file the same sent message (store its Sent copy) run one after the other, so that
    // the second request finds the copy of the first request.
    fileSent(request, limits) {
      const work = async () => {
        limits.signal.throwIfAborted()
        return run('fileSent', request, limits)
      }
      return filings.run(request.queueId, work, limits.signal)
    },
    async uploadMessage(request, limits) {
      try {
        return await run('uploadMessage', request, limits)
      } catch (error) {
        // After a failed upload, deletes the stored bytes of the message unless the driver of the
        // account has deleted them. No request refers to the upload any more.
        await deleteUpload(db, request.upload).catch(() => undefined)
        throw error
      }
    },
  }
  const names = Object.keys(accountCommands) as AccountCommandName[]
  return names.map((name) => ({
    command: accountCommands[name],
    handle: async (request: never, limits) =>
      exceptions[name]?.(request, limits) ?? run(name, request, limits),
  }))
}

function notHeld(cause?: unknown): AppError {
  return new AppError('unavailable', 'No worker holds the account', {
    code: 'WorkerNotAvailable',
    cause,
  })
}

function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null | undefined)?.name === 'AbortError'
}

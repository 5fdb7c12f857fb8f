import type { CommandHandler } from '@posthorn/bus'
import { accountCommands } from '@posthorn/contracts/commands'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { KeyedMutex } from '@posthorn/flow'
import type {
  AccountCommandMethods,
  AccountCommandName,
  AccountDriver,
} from '../drivers/account-driver.ts'
import type { Registry } from '../sessions/registry.ts'
import { deleteUpload } from '../store/uploads.ts'

export interface HandlerDeps {
  db: Db
  sessions: Pick<Registry, 'findPrepared'>
}

/**
 * Handlers of all commands that the worker of an account serves. Each calls the method of the
 * account's driver that has the name of the command.
 */
export function createHandlers({ db, sessions }: HandlerDeps): CommandHandler[] {
  const driverOf = ({ account }: { account: string }, signal: AbortSignal) =>
    getDriver(sessions, account, signal)
  const filings = new KeyedMutex<string>()
  const exceptions: Partial<AccountCommandMethods> = {
    // Requests for the same message run one after the other, so that the second request finds the
    // Sent copy.
    fileSent(request, signal, deadline) {
      const work = async () => {
        signal.throwIfAborted()
        return (await driverOf(request, signal)).fileSent(request, signal, deadline)
      }
      return filings.run(request.queueId, work, signal)
    },
    async uploadMessage(request, signal, deadline) {
      try {
        const driver = await driverOf(request, signal)
        return await driver.uploadMessage(request, signal, deadline)
      } catch (error) {
        // Deletes the bytes of an upload if the driver did not: no request refers to the upload any
        // more.
        await deleteUpload(db, request.upload).catch(() => undefined)
        throw error
      }
    },
  }
  const names = Object.keys(accountCommands) as AccountCommandName[]
  return names.map((name) => ({
    command: accountCommands[name],
    async handle(request: never, { signal, deadline }) {
      const methods = name in exceptions ? exceptions : await driverOf(request, signal)
      return methods[name]?.(request, signal, deadline)
    },
  }))
}

/** @throws AppError `unavailable` `WorkerNotAvailable` without a session of the account */
async function getDriver(
  sessions: HandlerDeps['sessions'],
  account: string,
  signal: AbortSignal,
): Promise<AccountDriver> {
  const session = await sessions.findPrepared(account, signal)
  if (!session)
    throw new AppError('unavailable', 'No worker holds the account', { code: 'WorkerNotAvailable' })
  return session.driver
}

import { sqlState } from '@posthorn/db'
import { UnavailableError } from '@posthorn/errors'
import { abortable, abortableItems } from '@posthorn/flow'

/**
 * Failure of an account's mail system during an export, with the original error as `cause`. Only
 * such failures may mean that a message or folder cannot be read.
 */
export class MailFailure extends Error {
  constructor(cause: unknown) {
    super('The mail system failed', { cause })
  }
}

/**
 * Converts an error of an account driver to a `MailFailure`. Returns errors of Postgres unchanged.
 */
export function toMailFailure(error: unknown): unknown {
  const isOfPostgres = error instanceof UnavailableError || sqlState(error) !== undefined
  return isOfPostgres ? error : new MailFailure(error)
}

/**
 * Iterates over the results of an account driver and converts the driver's errors by
 * `toMailFailure`. Once the signal aborts, rejects with the reason of the signal, even while the
 * driver waits for the mail system.
 */
export async function* fromDriver<T>(
  results: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    yield* abortableItems(results, signal)
  } catch (error) {
    throw signal.aborted ? error : toMailFailure(error)
  }
}

/** Awaits one result of an account driver. Converts errors and aborts as `fromDriver` does. */
export async function mailCall<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(result, signal)
  } catch (error) {
    throw signal.aborted ? error : toMailFailure(error)
  }
}

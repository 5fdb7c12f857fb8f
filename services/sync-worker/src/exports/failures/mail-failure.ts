import { sqlState } from '@posthorn/db'
import { UnavailableError } from '@posthorn/errors'
import { abortable, abortableItems } from '@posthorn/flow'

/** Error of the mail system of an account, as `cause`. Other errors say nothing about messages. */
export class MailFailure extends Error {
  constructor(cause: unknown) {
    super('The mail system failed', { cause })
  }
}

/** `MailFailure` of an error in a driver. Errors of Postgres in a driver stay. */
export function toMailFailure(error: unknown): unknown {
  const isOfPostgres = error instanceof UnavailableError || sqlState(error) !== undefined
  return isOfPostgres ? error : new MailFailure(error)
}

/**
 * Iterates over results of a driver, whose errors become `MailFailure`. Rejects with the reason of
 * the signal once it aborts, although the driver may wait for the mail system.
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

/** Awaits a result of a driver, as `fromDriver`. */
export async function mailCall<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(result, signal)
  } catch (error) {
    throw signal.aborted ? error : toMailFailure(error)
  }
}

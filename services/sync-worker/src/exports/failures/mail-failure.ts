import { sqlState } from '@posthorn/db'
import { UnavailableError } from '@posthorn/errors'

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

/** Iterates over results of a driver, whose errors become `MailFailure`. */
export async function* fromDriver<T>(results: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* results
  } catch (error) {
    throw toMailFailure(error)
  }
}

/** Awaits a result of a driver, whose error becomes `MailFailure`. */
export async function mailCall<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw toMailFailure(error)
  }
}

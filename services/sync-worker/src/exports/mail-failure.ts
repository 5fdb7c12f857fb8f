/** Error of the mail system of an account, as `cause`. Other errors say nothing about messages. */
export class MailFailure extends Error {
  constructor(cause: unknown) {
    super('The mail system failed', { cause })
  }
}

/** Iterates over results of a driver, whose errors become `MailFailure`. */
export async function* fromDriver<T>(results: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* results
  } catch (cause) {
    throw new MailFailure(cause)
  }
}

/** Awaits a result of a driver, whose error becomes `MailFailure`. */
export async function mailCall<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (cause) {
    throw new MailFailure(cause)
  }
}

import type { MailSession } from '@posthorn/backends'

/** Mail session for tests, which has a name and can be lost. */
export class NamedSession {
  readonly name: string
  readonly closed: Promise<undefined>
  /** Ends the connection of the session. */
  readonly lose: () => void

  constructor(name: string) {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.name = name
    this.closed = promise
    this.lose = () => resolve(undefined)
  }

  get mail(): MailSession {
    return this as unknown as MailSession
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.lose()
    return Promise.resolve()
  }
}

/** Name of a mail session that is a `NamedSession` (for tests). */
export function nameOf(mail: MailSession): string {
  return (mail as unknown as NamedSession).name
}

/** True if the promise is pending after all immediate work is done. */
export async function waits(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  promise.then(
    () => (done = true),
    () => (done = true),
  )
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
  return !done
}

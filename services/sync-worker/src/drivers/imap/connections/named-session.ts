import type { MailSession } from '@posthorn/backends'

/** Mail session for tests. Has a name, and its connection can be lost on request. */
export class NamedSession {
  readonly name: string
  readonly closed: Promise<undefined>
  /** Makes the connection of a test's mail session count as lost. */
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

/** Name of a mail session in tests. Requires a `NamedSession`. */
export function nameOf(mail: MailSession): string {
  return (mail as unknown as NamedSession).name
}

/** True if a promise is still pending after all microtasks have run. For tests. */
export async function waits(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  promise.then(
    () => (done = true),
    () => (done = true),
  )
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
  return !done
}

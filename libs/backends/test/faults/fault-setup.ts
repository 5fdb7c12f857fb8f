import { afterEach } from '@jest/globals'
import { withTimeout } from '@posthorn/flow'
import { type ImapScript, type ImapScriptOptions, startImapScript } from '@posthorn/testkit'
import type { ConnectOptions, MailSession } from '../../src/mail-session.ts'
import { quietLogger } from '../quiet-logger.ts'
import { backend, shortTimeoutBackend } from '../scripted-session.ts'

export { backend, shortTimeoutBackend }

const disposables: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of disposables.splice(0).toReversed()) await each[Symbol.asyncDispose]()
})

/**
 * Starts a scripted IMAP server with a given number of messages in its inbox. The server is closed
 * after the test.
 */
export async function start(messages = 0, options: ImapScriptOptions = {}): Promise<ImapScript> {
  const server = await startImapScript(options)
  disposables.push(server)
  for (let n = 1; n <= messages; n++) server.mailbox('INBOX').append(letter(`m${n}`))
  return server
}

export function letter(subject: string, body = 'hello\r\n'): string {
  return `From: Jane <jane@mail.test>\r\nTo: john@mail.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@mail.test>\r\n\r\n${body}`
}

export function optionsOf({ host, port }: ImapScript): ConnectOptions {
  return {
    host,
    port,
    secure: false,
    rejectUnauthorized: false,
    credentials: { user: 'jane', pass: 'secret' },
    log: quietLogger(),
    // The timeout for connections to the IMAP server is longer than any test. Connection failures
    // must be reported immediately, not by timeout.
    connectTimeoutMs: 300_000,
  }
}

/** Opens an IMAP session that is closed after the test. */
export async function connect(
  server: ImapScript,
  more: Partial<ConnectOptions> = {},
  by = backend,
): Promise<MailSession> {
  const session = await by.connect({ ...optionsOf(server), ...more })
  disposables.push(session)
  return session
}

/** Opens an IMAP session with the inbox selected. */
export async function inbox(server: ImapScript, by = backend): Promise<MailSession> {
  const session = await connect(server, {}, by)
  await session.select('INBOX')
  return session
}

/** UIDs of the fetched mail messages. */
export async function uidsOf(messages: AsyncIterable<{ uid: number }>): Promise<number[]> {
  return (await Array.fromAsync(messages)).map(({ uid }) => uid)
}

const timeLimitMs = 60_000

/**
 * Rejects if a call of an IMAP session hangs. The time limit is too long for any machine to exceed
 * without a hang.
 */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return withTimeout(work, timeLimitMs, () => {
    throw new Error(`not within ${timeLimitMs} ms`)
  })
}

/**
 * Modifies matching responses to an IMAP command. Returns the number of modifications, because a
 * test whose fault never occurs proves nothing.
 */
export function distort(
  server: ImapScript,
  name: string,
  [pattern, by, only = /^/]: readonly [pattern: RegExp, by: string, only?: RegExp],
): { times: number } {
  const done = { times: 0 }
  server.on(name, async (command) =>
    (await command.defaultReply()).map((line) => {
      if (!only.test(line)) return line
      const distorted = line.replace(pattern, by)
      if (distorted !== line) done.times++
      return distorted
    }),
  )
  return done
}

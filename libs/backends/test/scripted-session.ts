import { afterEach } from '@jest/globals'
import type { MailSession } from '../src/mail-session.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { type Reply, scriptedServer, type ScriptedServer } from './scripted-server.ts'

const timings = { sampleMs: 20, quietMs: 200, renewMs: 10_000, pollMs: 30, keepAliveMs: 50_000 }

/** Production backend with shorter timings. `probeMs` is long enough for a busy machine. */
export const backend = createImapBackend({ ...timings, probeMs: 60_000 })
/** Backend with short timeouts, for unresponsive servers. */
export const shortTimeoutBackend = createImapBackend({ ...timings, probeMs: 1_000 })

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).toReversed()) await close()
})

/** Starts a server that is closed after the test. */
export async function start(
  replies: Record<string, Reply> = {},
  greeting?: string,
): Promise<ScriptedServer> {
  const server = await scriptedServer(replies, greeting)
  cleanups.push(() => server.close())
  return server
}

/** Session with the inbox selected, on a server with these responses. */
export async function session(
  replies: Record<string, Reply>,
  by = backend,
): Promise<MailSession & { received: string[] }> {
  const { options, received } = await start(replies)
  const session = await by.connect(options)
  cleanups.push(async () => await session[Symbol.asyncDispose]())
  await session.select('INBOX')
  return Object.assign(session, { received })
}

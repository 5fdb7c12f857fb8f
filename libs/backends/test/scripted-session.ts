import { afterEach } from '@jest/globals'
import type { MailSession } from '../src/backend.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { type Answer, scriptedServer, type ScriptedServer } from './scripted-server.ts'

const timings = { sampleMs: 20, quietMs: 200, renewMs: 10_000, pollMs: 30, keepAliveMs: 50_000 }

/** As in production, only faster; but a server that is slow because the machine is busy is not taken for dead. */
export const backend = createImapBackend({ ...timings, probeMs: 60_000 })
/** For servers that are dead, or play it. */
export const hasty = createImapBackend({ ...timings, probeMs: 200 })

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

/** A server that is gone after the test. */
export async function start(
  answers: Record<string, Answer> = {},
  greeting?: string,
): Promise<ScriptedServer> {
  const server = await scriptedServer(answers, greeting)
  open.push(() => server.close())
  return server
}

/** A session with the inbox open, on a server that answers so. */
export async function session(
  answers: Record<string, Answer>,
  by = backend,
): Promise<MailSession & { received: string[] }> {
  const { options, received } = await start(answers)
  const session = await by.connect(options)
  open.push(async () => await session[Symbol.asyncDispose]())
  await session.select('INBOX')
  return Object.assign(session, { received })
}

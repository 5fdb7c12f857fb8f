import { afterEach } from '@jest/globals'
import type { MailSession } from '../src/backend.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { type Answer, scriptedServer, type ScriptedServer } from './scripted-server.ts'

export const backend = createImapBackend({
  sampleMs: 20,
  quietMs: 200,
  probeMs: 200,
  renewMs: 10_000,
  pollMs: 30,
  keepAliveMs: 50_000,
})

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
): Promise<MailSession & { heard: string[] }> {
  const { options, heard } = await start(answers)
  const session = await backend.connect(options)
  open.push(async () => await session[Symbol.asyncDispose]())
  await session.select('INBOX')
  return Object.assign(session, { heard })
}

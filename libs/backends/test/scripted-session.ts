import { afterEach } from '@jest/globals'
import { type Hook, type ImapScript, startImapScript } from '@posthorn/testkit'
import type { ConnectOptions, MailSession } from '../src/mail-session.ts'
import { createImapBackend } from '../src/imap/backend.ts'
import { quietLogger } from './quiet-logger.ts'

const timings = { sampleMs: 20, quietMs: 200, renewMs: 10_000, pollMs: 30, keepAliveMs: 50_000 }

/** Production IMAP backend with shorter timings. `probeMs` is long enough for a busy machine. */
export const backend = createImapBackend({ ...timings, probeMs: 60_000 })
/** IMAP backend with short timeouts, for unresponsive mail servers. */
export const shortTimeoutBackend = createImapBackend({ ...timings, probeMs: 1_000 })

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).toReversed()) await close()
})

/**
 * Replies of a scripted IMAP server by command name. The empty name stands for DONE and
 * continuations of AUTHENTICATE. `literal` stands for a command whose literal was not sent yet.
 */
export type Replies = Readonly<Record<string, Hook>>

export interface ScriptedServer {
  options: ConnectOptions
  /** Names and arguments of the commands that the IMAP server has received so far. */
  received: string[]
}

const done = ['{tag} OK done']

const usual: Replies = {
  '': () => [],
  CAPABILITY: () => ['* CAPABILITY IMAP4rev1', ...done],
  LOGIN: () => done,
  NAMESPACE: () => ['* NAMESPACE (("" "/")) NIL NIL', ...done],
  LIST: ({ rest }) => [
    rest === '"" ""' ? '* LIST (\\Noselect) "/" ""' : '* LIST () "/" INBOX',
    ...done,
  ],
  LSUB: () => done,
  SELECT: () => [
    '* 3 EXISTS',
    '* FLAGS (\\Seen)',
    '* OK [UIDVALIDITY 7] ok',
    '* OK [UIDNEXT 4] ok',
    ...done,
  ],
  NOOP: () => done,
  LOGOUT: () => ['* BYE bye', ...done],
}

/**
 * Starts a scripted IMAP server that sends these replies, or default replies, and rejects other
 * commands. The server is closed after the test. A hook without a result sends nothing.
 */
export async function start(
  replies: Replies = {},
  greeting = '* OK ready',
): Promise<ScriptedServer> {
  const script = await startImapScript({ greeting })
  cleanups.push(async () => await script[Symbol.asyncDispose]())
  const hooks: Replies = { ...usual, ...replies }
  const received: string[] = []
  const { literal } = hooks
  if (literal) script.on('literal', literal)
  script.on('*', async (command) => {
    const { tag, name, rest } = command
    received.push([name || tag, rest].filter((text) => text !== '').join(' '))
    const hook = hooks[name]
    const reply = hook ? ((await hook(command)) ?? []) : ['{tag} BAD unknown']
    return 'raw' in reply ? reply : reply.map(encodeUtf8)
  })
  return { received, options: optionsOf(script) }
}

/**
 * Line of an IMAP server in UTF-8, with one character per byte, as the scripted server sends lines.
 */
export function encodeUtf8(line: string): string {
  return Buffer.from(line).toString('latin1')
}

function optionsOf({ host, port }: ImapScript): ConnectOptions {
  const credentials = { user: 'me', pass: 'secret' }
  return { host, port, secure: false, credentials, log: quietLogger(), connectTimeoutMs: 60_000 }
}

/** IMAP session with the inbox selected, on a scripted server with these responses. */
export async function session(
  replies: Replies,
  by = backend,
): Promise<MailSession & { received: string[] }> {
  const { options, received } = await start(replies)
  const session = await by.connect(options)
  cleanups.push(async () => await session[Symbol.asyncDispose]())
  await session.select('INBOX')
  return Object.assign(session, { received })
}

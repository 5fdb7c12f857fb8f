import { createServer, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { selfSigned } from '@posthorn/local/files/certificate'
import { listen, stopListening } from '../listening.ts'
import type {
  SmtpBehaviour,
  SmtpHook,
  SmtpMessage,
  SmtpMoment,
  SmtpServerState,
  SmtpSession,
} from './contract.ts'
import { SmtpConnection } from './session.ts'

/** SMTP server for tests. Replies normally unless a hook or a callback decides otherwise. */
export interface SmtpScript extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /**
   * Messages that the SMTP test server stored, oldest first. Duplicates have equal `messageId`,
   * `to` and `sha256`.
   */
  readonly accepted: SmtpMessage[]
  /** Number of connections to the SMTP test server since its start. */
  readonly connections: number
  /** Open connections of the SMTP test server. */
  readonly sessions: readonly SmtpSession[]
  /**
   * Lines received on all connections of the SMTP test server. A dot stands for each message. Of
   * AUTH commands, only the mechanism is recorded.
   */
  readonly received: string[]
  behaviour: SmtpBehaviour
  /**
   * Sets the hook that replies to SMTP clients at a moment, such as a command. `undefined` removes
   * the hook.
   */
  on(moment: SmtpMoment, hook: SmtpHook | undefined): void
  /**
   * Ends the connections of the SMTP test server and refuses new connections until `open`, which
   * listens on the same port again.
   */
  close(): Promise<void>
  open(): Promise<void>
}

export interface SmtpScriptOptions {
  behaviour?: SmtpBehaviour
  /**
   * Port of the SMTP test server. Default: a free port that no other server uses while this server
   * is closed.
   */
  port?: number
  /**
   * True if the SMTP test server requires AUTH before MAIL. Every login succeeds unless `onLogin`
   * rejects the login.
   */
  requireLogin?: boolean
  /**
   * True if the SMTP test server starts TLS with the first byte. If false, STARTTLS is offered
   * unless `plain` is set.
   */
  secure?: boolean
  plain?: boolean
  /**
   * Maximum size of a message for the SMTP test server in bytes, announced by SIZE. Defaults to 64
   * MiB.
   */
  maxBytes?: number
  /**
   * SMTP extensions that the test server offers besides AUTH and STARTTLS. Parameters of other
   * extensions are rejected. Defaults to `usualExtensions`.
   */
  extensions?: readonly string[]
}

export const usualExtensions = [
  'PIPELINING',
  '8BITMIME',
  'SMTPUTF8',
  'SIZE',
  'DSN',
  'ENHANCEDSTATUSCODES',
] as const

/** Starts an SMTP server whose faults a test controls. */
export async function startSmtpScript(options: SmtpScriptOptions = {}): Promise<SmtpScript> {
  const script = {
    behaviour: options.behaviour ?? {},
    accepted: [] as SmtpMessage[],
    received: [] as string[],
    connections: 0,
    port: options.port ?? 0,
    sessions: [] as SmtpSession[],
  }
  const state: SmtpServerState = {
    script,
    hooks: new Map(),
    extensions: new Set(options.extensions ?? usualExtensions),
    requireLogin: options.requireLogin ?? false,
    startTls: !options.plain && !options.secure,
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
    secureContext: createSecureContext(selfSigned(['script.mail.test', 'localhost', '127.0.0.1'])),
    failures: [],
  }
  const server = createServer({ noDelay: true }, (socket) => {
    void serve(socket, { state, sessions: script.sessions, secure: options.secure ?? false })
  })
  const open = async () => void (script.port = await listen(server, script.port))
  const close = () =>
    stopListening(server, () => script.sessions.forEach((session) => session.destroy()))
  await open()
  return Object.assign(script, {
    host: '127.0.0.1',
    on(moment: SmtpMoment, hook: SmtpHook | undefined) {
      if (hook) state.hooks.set(moment, hook)
      else state.hooks.delete(moment)
    },
    open,
    close,
    async [Symbol.asyncDispose]() {
      await close()
      if (state.failures.length > 0) throw state.failures[0]
    },
  })
}

interface Listener {
  state: SmtpServerState
  sessions: SmtpSession[]
  secure: boolean
}

async function serve(socket: Socket, { state, sessions, secure }: Listener): Promise<void> {
  const session = new SmtpConnection(socket, state)
  sessions.push(session)
  socket.once('close', () => sessions.splice(sessions.indexOf(session), 1))
  if (secure) await session.startTls(state.secureContext)
  await session.run()
}

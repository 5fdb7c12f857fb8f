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
   * Messages that the SMTP server stored, oldest first. Duplicates have equal `messageId`, `to` and
   * `sha256`.
   */
  readonly accepted: SmtpMessage[]
  /** Number of SMTP connections since the start of the server. */
  readonly connections: number
  /** Open connections of the SMTP server. */
  readonly sessions: readonly SmtpSession[]
  /**
   * Lines received on all SMTP connections. A dot stands for each message. Of AUTH commands, only
   * the mechanism is recorded.
   */
  readonly received: string[]
  behaviour: SmtpBehaviour
  /**
   * Sets the hook that replies to SMTP clients at a moment, such as a command. `undefined` removes
   * the hook.
   */
  on(moment: SmtpMoment, hook: SmtpHook | undefined): void
  /**
   * Ends open SMTP connections and refuses new connections until `open`, which listens on the same
   * port again.
   */
  close(): Promise<void>
  open(): Promise<void>
}

export interface SmtpScriptOptions {
  behaviour?: SmtpBehaviour
  /**
   * Port of the SMTP server. Default: a free port that no other server uses while this server is
   * closed.
   */
  port?: number
  /**
   * True to require AUTH before MAIL in SMTP. Every login succeeds unless `onLogin` rejects the
   * login.
   */
  requireLogin?: boolean
  /**
   * True if the SMTP server starts TLS with the first byte. If false, STARTTLS is offered unless
   * `plain` is set.
   */
  secure?: boolean
  plain?: boolean
  /** Maximum size of a message in bytes, announced by SIZE. Defaults to 64 MiB. */
  maxBytes?: number
  /**
   * SMTP extensions that are offered besides AUTH and STARTTLS. Parameters of other extensions are
   * rejected. Defaults to `usualExtensions`.
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

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { selfSigned } from '@posthorn/local/self-signed'
import type { SmtpBehaviour } from './servers/smtp-script/behaviour.ts'
import type { SmtpHook, SmtpMoment } from './servers/smtp-script/command.ts'
import type { SmtpMessage } from './servers/smtp-script/message.ts'
import { SmtpSession } from './servers/smtp-script/session.ts'
import type { SmtpWorld } from './servers/smtp-script/verbs.ts'

export interface SmtpScript extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Messages kept, oldest first: who wonders what was lost or came twice compares their `messageId`, `to` and `sha256`. */
  readonly accepted: SmtpMessage[]
  /** Connections there have been. */
  readonly connections: number
  /** Those there are. */
  readonly sessions: readonly SmtpSession[]
  /** Every line of all connections, as it came, a dot for each message; of AUTH the mechanism alone. */
  readonly heard: string[]
  behaviour: SmtpBehaviour
  /** From now on this answers at that moment; undefined takes it back. */
  on(moment: SmtpMoment, hook: SmtpHook | undefined): void
  /** Refuses connections and ends those there are, until `open` on the same port. */
  close(): Promise<void>
  open(): Promise<void>
}

export interface SmtpScriptOptions {
  behaviour?: SmtpBehaviour
  /** Default: any. A `freePort` is nobody else's while the server is closed. */
  port?: number
  /** Whether one must log in first; whoever tries is let in unless `onLogin` refuses. */
  requireLogin?: boolean
  /** TLS from the first byte; otherwise STARTTLS is offered unless `plain`. */
  secure?: boolean
  plain?: boolean
  /** Greatest size announced and taken; default 64 MiB. */
  maxBytes?: number
  /** What EHLO offers beside AUTH and STARTTLS; a parameter of what is not offered is refused. Default: `usualExtensions`. */
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

/** An SMTP server that does as it is told, for what a real one does only on a bad day. */
export async function startSmtpScript(options: SmtpScriptOptions = {}): Promise<SmtpScript> {
  const state = {
    behaviour: options.behaviour ?? {},
    accepted: [] as SmtpMessage[],
    heard: [] as string[],
    connections: 0,
    port: options.port ?? 0,
    sessions: [] as SmtpSession[],
  }
  const world: SmtpWorld = {
    script: state,
    hooks: new Map(),
    extensions: new Set(options.extensions ?? usualExtensions),
    requireLogin: options.requireLogin ?? false,
    startTls: !options.plain && !options.secure,
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
    secureContext: createSecureContext(selfSigned(['script.mail.test', 'localhost', '127.0.0.1'])),
    failures: [],
  }
  let server: Server | undefined
  const open = async () => {
    server = createServer({ noDelay: true }, (socket) => {
      void serve(socket, { world, sessions: state.sessions, secure: options.secure ?? false })
    }).listen(state.port, '127.0.0.1')
    await once(server, 'listening')
    state.port = (server.address() as AddressInfo).port
  }
  const close = async () => {
    const closing = server
    server = undefined
    for (const session of state.sessions) session.destroy()
    if (closing) await new Promise<void>((resolve) => closing.close(() => resolve()))
  }
  await open()
  return Object.assign(state, {
    host: '127.0.0.1',
    on(moment: SmtpMoment, hook: SmtpHook | undefined) {
      if (hook) world.hooks.set(moment, hook)
      else world.hooks.delete(moment)
    },
    open,
    close,
    async [Symbol.asyncDispose]() {
      await close()
      if (world.failures.length > 0) throw world.failures[0]
    },
  })
}

interface Serving {
  world: SmtpWorld
  sessions: SmtpSession[]
  secure: boolean
}

async function serve(socket: Socket, { world, sessions, secure }: Serving): Promise<void> {
  const session = new SmtpSession(socket, world)
  sessions.push(session)
  socket.once('close', () => sessions.splice(sessions.indexOf(session), 1))
  if (secure) await session.secure(world.secureContext)
  await session.run()
}

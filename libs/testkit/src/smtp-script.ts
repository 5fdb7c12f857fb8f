import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { selfSigned } from '@posthorn/local/self-signed'
import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server'

/** A refusal: `{ code: 451, text: '4.7.1 greylisted' }`. */
export interface SmtpRefusal {
  code: number
  text: string
}

/** A message whose bytes have come in full. */
export interface SmtpMessage {
  /** With its angle brackets; empty if it has none. */
  messageId: string
  from: string
  to: string[]
  raw: Buffer
  /** Who logged in, if anybody did. */
  user?: string
  helo: string
  receivedAt: Date
}

/**
 * What happens after the final dot. `undefined` accepts; a refusal refuses; `drop` closes the connection without a reply, having kept the
 * message (the sender cannot know) and `drop-unkept` without having kept it; `hang` keeps it and never replies.
 */
export type AfterData = SmtpRefusal | 'drop' | 'drop-unkept' | 'hang' | undefined

export interface SmtpLogin {
  method: string
  user: string
  password?: string
  accessToken?: string
}

/** Each is asked at its moment; what is left out accepts. Change them at any time: `server.behaviour.onData = …`. */
export interface SmtpBehaviour {
  onConnect?: (count: number) => SmtpRefusal | undefined
  onMailFrom?: (address: string) => SmtpRefusal | undefined
  onRecipient?: (address: string) => SmtpRefusal | undefined
  onData?: (message: SmtpMessage) => AfterData
  onLogin?: (login: SmtpLogin) => SmtpRefusal | undefined
}

export interface SmtpScript {
  readonly host: string
  readonly port: number
  /** Messages kept, oldest first. */
  readonly accepted: SmtpMessage[]
  /** Connections there have been. */
  readonly connections: number
  behaviour: SmtpBehaviour
  /** Refuses connections, until `open` on the same port. */
  close(): Promise<void>
  open(): Promise<void>
}

export interface SmtpScriptOptions {
  behaviour?: SmtpBehaviour
  /** Whether one must log in first; whoever tries is let in unless `onLogin` refuses. */
  requireLogin?: boolean
  /** TLS from the first byte; otherwise STARTTLS is offered unless `plain`. */
  secure?: boolean
  plain?: boolean
  /** Greatest size announced and taken; default 64 MiB. */
  maxBytes?: number
}

/** An SMTP server that does as it is told, for what a real one does only on a bad day. */
export async function startSmtpScript(options: SmtpScriptOptions = {}): Promise<SmtpScript> {
  const state = {
    behaviour: options.behaviour ?? {},
    accepted: [] as SmtpMessage[],
    connections: 0,
    port: 0,
  }
  const sockets = new Set<Socket>()
  let server: SMTPServer | undefined
  const open = async () => {
    server = build(options, state, sockets)
    const listening = server.listen(state.port, '127.0.0.1')
    listening.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    })
    await once(listening, 'listening')
    state.port = (listening.address() as AddressInfo).port
  }
  await open()
  return Object.assign(state, {
    host: '127.0.0.1',
    open,
    async close() {
      const closing = server
      server = undefined
      for (const socket of sockets) socket.destroy()
      if (closing) await new Promise<void>((resolve) => closing.close(resolve))
    },
  })
}

type State = Pick<SmtpScript, 'behaviour' | 'accepted'> & { connections: number }

function build(
  {
    requireLogin = false,
    secure = false,
    plain = false,
    maxBytes = 64 * 1024 * 1024,
  }: SmtpScriptOptions,
  state: State,
  sockets: Set<Socket>,
): SMTPServer {
  const server = new SMTPServer({
    name: 'script.mail.test',
    secure,
    ...selfSigned(['script.mail.test', 'localhost', '127.0.0.1']),
    authOptional: !requireLogin,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    disabledCommands: plain ? ['STARTTLS'] : [],
    disableReverseLookup: true,
    size: maxBytes,
    onConnect: (_session, callback) =>
      callback(toError(state.behaviour.onConnect?.(++state.connections))),
    onMailFrom: ({ address }, _session, callback) =>
      callback(toError(state.behaviour.onMailFrom?.(address))),
    onRcptTo: ({ address }, _session, callback) =>
      callback(toError(state.behaviour.onRecipient?.(address))),
    onAuth(auth, _session, callback) {
      const refused = toError(state.behaviour.onLogin?.(toLogin(auth)))
      if (refused) callback(refused)
      else callback(null, { user: auth.username ?? '' })
    },
    onData(stream, session, callback) {
      const hangUp = () =>
        [...sockets].find(({ remotePort }) => remotePort === session.remotePort)?.destroy()
      readMessage(stream, session).then(
        (message) => {
          if (stream.sizeExceeded) return callback(toError({ code: 552, text: '5.3.4 too big' }))
          const then = state.behaviour.onData?.(message)
          if (typeof then === 'object') return callback(toError(then))
          if (then !== 'drop-unkept') state.accepted.push(message)
          if (then === undefined) callback(null, `2.0.0 queued as ${state.accepted.length}`)
          else if (then !== 'hang') hangUp()
        },
        () => hangUp(),
      )
    },
  })
  server.on('error', () => undefined) // clients that break off
  return server
}

async function readMessage(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<SmtpMessage> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks)
  const { mailFrom, rcptTo } = session.envelope
  const head = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
  return {
    messageId: /^message-id:\s*(<[^>]*>)/im.exec(head)?.[1] ?? '',
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    raw,
    ...(session.user ? { user: String(session.user) } : {}),
    helo: session.hostNameAppearsAs,
    receivedAt: new Date(),
  }
}

function toLogin({ method, username, password, accessToken }: SMTPServerAuthentication): SmtpLogin {
  return {
    method,
    user: username ?? '',
    ...(typeof password === 'string' ? { password } : {}),
    ...(typeof accessToken === 'string' ? { accessToken } : {}),
  }
}

function toError(refusal: SmtpRefusal | undefined): Error | null {
  return refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null
}

/** A behaviour that refuses the first `count` times it is asked and accepts from then on. */
export function refuseTimes(count: number, refusal: SmtpRefusal): () => SmtpRefusal | undefined {
  let left = count
  return () => (left-- > 0 ? refusal : undefined)
}

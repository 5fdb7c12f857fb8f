import { setTimeout as delay } from 'node:timers/promises'
import { MailAddress, matches } from '@posthorn/contracts'
import { isLoopback, type LoginThrottle, plainAddress } from '@posthorn/mail-frontend'
import { type Certificate } from '@posthorn/service'
import type { Metrics } from '@posthorn/telemetry'
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'
import { checkSession, countMessage, invalidCredentials, logIn, type User } from './access.ts'
import type { Config } from './config.ts'
import { dsnOf } from './dsn.ts'
import type { Guests } from './guests.ts'
import type { KnownClients } from './known-clients.ts'
import { type Buffered, noRoom, receive } from './receive.ts'
import { Refusal, toRefusal } from './refusal.ts'
import { submit, type SubmitDeps } from './submit.ts'

export interface MailServerDeps extends SubmitDeps {
  config: Pick<Config, 'maxMessageBytes' | 'maxConnections' | 'insecureAuth'>
  penalties: LoginThrottle
  buffered: Buffered
  guests: Guests
  clients: KnownClients
  submissions: ReturnType<Metrics['counter']>
}

export interface MailServerOptions {
  certificate: Certificate | undefined
  /** TLS from the first byte on; otherwise by STARTTLS where there is a certificate. */
  tls: boolean
  /** False: whoever does not log in names the account in a header. */
  needsLogin: boolean
  /** Nothing new is begun any more. */
  isClosing: () => boolean
  /** After each message, whatever became of it. */
  onTransactionEnd: (session: SMTPServerSession) => void
  /** Ends the connection of a session with a 421. */
  sendAway: (session: SMTPServerSession, text: string) => void
}

/** RFC 5321 §4.5.3.2.7: a server waits five minutes for the next command at least. */
const idleMs = 5 * 60_000
const maxRecipients = 1_000

/** The SMTP of the door. It does not listen itself: connections are given to it. */
export function createMailServer(options: MailServerOptions, deps: MailServerDeps): SMTPServer {
  const { certificate, tls, needsLogin } = options
  return new SMTPServer({
    name: 'posthorn',
    banner: 'Posthorn MSA',
    secure: tls,
    ...(certificate ? { cert: certificate.cert, key: certificate.key, minVersion: 'TLSv1.2' } : {}),
    // Who may log in without TLS is decided by where they come from.
    allowInsecureAuth: true,
    authOptional: !needsLogin,
    disabledCommands: [...(certificate ? [] : ['STARTTLS']), 'WIZ', 'SHELL', 'KILL'],
    authMethods: ['PLAIN', 'LOGIN'],
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    size: deps.config.maxMessageBytes,
    maxClients: deps.config.maxConnections,
    maxRecipients,
    maxCommandLength: 8_192,
    socketTimeout: idleMs,
    disableReverseLookup: true,
    logger: false,
    ...handlersFor(options, deps),
  })
}

function handlersFor(options: MailServerOptions, deps: MailServerDeps): SMTPServerOptions {
  const { log } = deps
  const refused = (error: unknown, session: SMTPServerSession) => {
    const refusal = toRefusal(error)
    const { remoteAddress } = session
    const level = refusal.cause === undefined ? 'info' : 'warn'
    const account = userOf(session)?.account
    log[level](
      { err: refusal.cause, account, address: remoteAddress, answer: refusal.message },
      'refused',
    )
    return refusal
  }
  return {
    onAuth(auth, session, done) {
      authenticate({ auth, session }, options, deps).then(
        (user) => {
          deps.guests.leave(session)
          deps.clients.enter(session, user, (reason) =>
            options.sendAway(session, `4.7.0 ${reason}`),
          )
          done(null, { user })
        },
        (error: unknown) => done(refused(error, session)),
      )
    },
    onMailFrom(address, session, done) {
      beginMessage({ address, session }, options, deps).then(
        () => done(),
        (error: unknown) => done(refused(error, session)),
      )
    },
    onRcptTo({ address }, session, done) {
      if (isMailAddress(address)) done()
      else done(refused(new Refusal('553 5.1.3', 'Invalid address'), session))
    },
    // The one sign that comes also after STARTTLS: the listeners of the bare socket are gone by then.
    onClose(session) {
      deps.guests.leave(session)
      deps.clients.leave(session)
    },
    onData(stream, session, done) {
      deps.clients.beginMessage(session)
      takeMessage({ stream, session }, deps)
        .then(
          (answer) => {
            deps.submissions.inc({ result: 'queued' })
            done(null, answer)
          },
          (error: unknown) => {
            deps.submissions.inc({ result: 'refused' })
            done(refused(error, session))
          },
        )
        .finally(() => {
          options.onTransactionEnd(session)
          setImmediate(() => deps.clients.endMessage(session))
        })
    },
  }
}

function userOf({ user }: SMTPServerSession): User | undefined {
  return user ? (user as User) : undefined
}

interface Attempt {
  auth: SMTPServerAuthentication
  session: SMTPServerSession
}

async function authenticate(
  { auth, session }: Attempt,
  { certificate }: MailServerOptions,
  deps: MailServerDeps,
): Promise<User> {
  const { penalties, config } = deps
  const { username = '', authzid } = auth
  const address = plainAddress(session.remoteAddress)
  if (certificate && !session.secure && !config.insecureAuth && !isLoopback(address))
    throw new Refusal('538 5.7.11', 'Encryption required, issue STARTTLS first')
  try {
    // Acting for somebody else is nobody's right.
    if (authzid && authzid !== username) throw invalidCredentials()
    const user = await logIn(deps, { account: username, secret: auth.password ?? '', address })
    penalties.recordSuccess(address, username)
    return user
  } catch (error) {
    if (!(error instanceof Refusal))
      throw new Refusal('454 4.7.0', 'Temporary authentication failure', { cause: error })
    await delay(penalties.recordFailure(address, username))
    throw error
  }
}

interface Beginning {
  address: SMTPServerAddress
  session: SMTPServerSession
}

/** @throws Refusal where no message may be begun */
async function beginMessage(
  { address: { address, args }, session }: Beginning,
  { isClosing }: MailServerOptions,
  deps: MailServerDeps,
): Promise<void> {
  if (isClosing()) throw new Refusal('421 4.3.2', 'Shutting down')
  if (address !== '' && !isMailAddress(address)) throw new Refusal('553 5.1.7', 'Invalid address')
  // RFC 3461 §4.4
  if ((session.envelope.dsn?.envid?.length ?? 0) > 100)
    throw new Refusal('501 5.5.4', 'The ENVID is too long')
  const user = userOf(session)
  await checkSession(deps, user)
  const { SIZE: declared } = args || {}
  if (!deps.buffered.hasRoom(Number(declared) || 0)) throw noRoom()
  await countMessage(deps, user)
  deps.guests.leave(session)
}

/** Whatever goes on to another server is checked as strictly as what comes by the API. */
function isMailAddress(address: string): boolean {
  return matches(MailAddress, address)
}

interface Transmission {
  stream: SMTPServerDataStream
  session: SMTPServerSession
}

async function takeMessage(
  { stream, session }: Transmission,
  deps: MailServerDeps,
): Promise<string> {
  const { mailFrom, rcptTo } = session.envelope
  const envelope = {
    from: mailFrom ? mailFrom.address : '',
    to: [...new Set(rcptTo.map(({ address }) => address))],
  }
  const dsn = dsnOf(session.envelope)
  using received = await receive(stream, deps.config.maxMessageBytes, deps.buffered)
  return await submit(deps, userOf(session), { envelope, dsn, message: received.message })
}

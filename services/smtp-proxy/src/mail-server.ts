import { MailAddress } from '@posthorn/contracts/schemas/primitives'
import { matches } from '@posthorn/contracts/validate'
import { sleep } from '@posthorn/flow'
import type { LoginThrottle } from '@posthorn/mail-frontend'
import { isLoopback, plainAddress } from '@posthorn/net/addresses'
import type { Certificate } from '@posthorn/service/certificate'
import type { Metrics } from '@posthorn/telemetry'
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'
import {
  AddressRejection,
  checkSession,
  countMessage,
  invalidCredentials,
  logIn,
  type User,
} from './access.ts'
import type { AccountLimits } from './account-limits.ts'
import type { AuthenticatedClients, PendingClients } from './clients.ts'
import type { Config } from './config.ts'
import { toDsnRequest } from './dsn.ts'
import { insufficientMemory, receive } from './receive.ts'
import { SmtpRejection, toRejection } from './rejection.ts'
import { submit, type SubmitDeps } from './submit.ts'

export interface MailServerDeps extends SubmitDeps {
  config: Pick<Config, 'maxMessageBytes' | 'maxConnections' | 'insecureAuth' | 'stallMs'>
  throttle: LoginThrottle
  limits: AccountLimits
  pending: PendingClients
  clients: AuthenticatedClients
  submissions: ReturnType<Metrics['counter']>
}

export interface MailServerOptions {
  certificate: Certificate | undefined
  /**
   * True for TLS from the first byte of an SMTP connection. If false, STARTTLS is offered if there
   * is a certificate.
   */
  tls: boolean
  /**
   * True if SMTP clients must log in. If false, a client without login names the account in a
   * header of the message.
   */
  loginRequired: boolean
  /** Function that returns true until the client of the SMTP session disconnects. */
  isOpen: (session: SMTPServerSession) => boolean
  /** Function that returns true once no new message of an SMTP session may start. */
  isClosing: (session: SMTPServerSession) => boolean
  /** Called after each message of an SMTP session, accepted or rejected. */
  onTransactionEnd: (session: SMTPServerSession) => void
  /** Closes the connection of an SMTP session with the reply 421. */
  disconnect: (session: SMTPServerSession, text: string) => void
}

/**
 * Timeout of the next SMTP command of a client. RFC 5321 §4.5.3.2.7: a server waits at least 5 min.
 */
const idleMs = 5 * 60_000
const maxRecipients = 1_000

/**
 * Creates the handler of the SMTP protocol. The handler does not listen: the SMTP listener adds
 * client connections to the handler.
 */
export function createMailServer(options: MailServerOptions, deps: MailServerDeps): SMTPServer {
  const { certificate, tls, loginRequired } = options
  return new SMTPServer({
    name: 'posthorn',
    banner: 'Posthorn MSA',
    secure: tls,
    ...(certificate ? { cert: certificate.cert, key: certificate.key, minVersion: 'TLSv1.2' } : {}),
    // The SMTP library admits logins without TLS. The function `authenticate` decides by client
    // address who may log in without TLS.
    allowInsecureAuth: true,
    authOptional: !loginRequired,
    disabledCommands: [...(certificate ? [] : ['STARTTLS']), 'WIZ', 'SHELL', 'KILL'],
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2', 'OAUTHBEARER'],
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
  const reject = (error: unknown, session: SMTPServerSession) => {
    const rejection = toRejection(error)
    const { message: reply, cause: err } = rejection
    const account = userOf(session)?.account
    const fields = { err, account, address: session.remoteAddress, reply }
    log[err === undefined ? 'info' : 'warn'](fields, 'smtp command rejected')
    return rejection
  }
  return {
    onAuth(auth, session, done) {
      authenticate({ auth, session }, options, deps).then(
        (user) => {
          deps.pending.remove(session)
          deps.clients.add(session, user, (reason) =>
            options.disconnect(session, `4.7.0 ${reason}`),
          )
          done(null, { user })
        },
        (error: unknown) => done(reject(error, session)),
      )
    },
    onMailFrom(address, session, done) {
      beginMessage({ address, session }, options, deps).then(
        () => done(),
        (error: unknown) => done(reject(error, session)),
      )
    },
    onRcptTo({ address }, session, done) {
      if (isMailAddress(address)) done()
      else done(reject(new SmtpRejection('553 5.1.3', 'Invalid address'), session))
    },
    // `onClose` is called at the end of an SMTP connection, also after STARTTLS, which removes the
    // listeners of the plaintext socket.
    onClose(session) {
      deps.pending.remove(session)
      deps.clients.remove(session)
      deps.limits.release(session)
    },
    onData(stream, session, done) {
      deps.clients.beginMessage(session)
      acceptMessage(stream, session, deps)
        .then(
          (reply) => {
            deps.submissions.inc({ result: 'queued' })
            done(null, reply)
          },
          (error: unknown) => {
            deps.submissions.inc({ result: 'refused' })
            done(reject(error, session))
          },
        )
        .finally(() => {
          options.onTransactionEnd(session)
          setImmediate(() => deps.clients.endMessage(session))
        })
    },
  }
}

function isOfValidToken(error: SmtpRejection): boolean {
  return error instanceof AddressRejection || error instanceof TooManySessions
}

/**
 * Counts an SMTP session of an account, unless the client has disconnected.
 *
 * @throws TooManySessions
 */
function countSession(
  session: SMTPServerSession,
  account: string,
  { isOpen, limits }: { isOpen: MailServerOptions['isOpen']; limits: AccountLimits },
): void {
  if (isOpen(session) && !limits.admit(session, account)) throw new TooManySessions()
}

/**
 * Rejection of an SMTP login above the session limit of the account. The reply is temporary (RFC
 * 4954 §6), so the client tries again.
 */
class TooManySessions extends SmtpRejection {
  constructor() {
    super('454 4.7.0', 'Too many sessions of this account, try again later')
  }
}

function userOf({ user }: SMTPServerSession): User | undefined {
  return user ? (user as User) : undefined
}

interface LoginAttempt {
  auth: SMTPServerAuthentication
  session: SMTPServerSession
}

async function authenticate(
  { auth, session }: LoginAttempt,
  { certificate, isOpen }: MailServerOptions,
  deps: MailServerDeps,
): Promise<User> {
  const { throttle, config, limits } = deps
  const { username = '', authzid } = auth
  const address = plainAddress(session.remoteAddress)
  if (certificate && !session.secure && !config.insecureAuth && !isLoopback(address))
    throw new SmtpRejection('538 5.7.11', 'Encryption required, issue STARTTLS first')
  try {
    // Rejects an SMTP login with an authorization id that differs from the user name, because no
    // user may act as another user (RFC 4616).
    if (authzid && authzid !== username) throw invalidCredentials()
    const user = await logIn(deps, { account: username, secret: secretOf(auth), address })
    throttle.recordSuccess(address, username)
    countSession(session, user.account, { isOpen, limits })
    return user
  } catch (error) {
    if (!(error instanceof SmtpRejection))
      throw new SmtpRejection('454 4.7.0', 'Temporary authentication failure', { cause: error })
    // Delays the rejection of a wrong login, to slow down guessing. A login with a valid token that
    // is rejected is no guess.
    if (!isOfValidToken(error)) await sleep(throttle.recordFailure(address, username))
    throw error
  }
}

/** Password of an SMTP login, or the access token of a bearer mechanism. */
function secretOf({ password, accessToken }: SMTPServerAuthentication): string {
  return password ?? accessToken ?? ''
}

interface MailCommand {
  address: SMTPServerAddress
  session: SMTPServerSession
}

/** Handles the SMTP command MAIL. @throws SmtpRejection if the session may not start a message */
async function beginMessage(
  { address: { address, args }, session }: MailCommand,
  { isClosing }: MailServerOptions,
  deps: MailServerDeps,
): Promise<void> {
  if (isClosing(session)) throw new SmtpRejection('421 4.3.2', 'Shutting down')
  if (address !== '' && !isMailAddress(address))
    throw new SmtpRejection('553 5.1.7', 'Invalid address')
  // Rejects an envelope id (ENVID) of more than 100 characters (RFC 3461 §4.4).
  if ((session.envelope.dsn?.envid?.length ?? 0) > 100)
    throw new SmtpRejection('501 5.5.4', 'The ENVID is too long')
  const user = userOf(session)
  await checkSession(deps, user)
  const { SIZE: declared } = args || {}
  if (deps.limits.memoryOf(user?.account).available < (Number(declared) || 0))
    throw insufficientMemory()
  await countMessage(deps, user)
  deps.pending.remove(session)
}

/** True for a mail address by the same rules as in the API. */
function isMailAddress(address: string): boolean {
  return matches(MailAddress, address)
}

async function acceptMessage(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  deps: MailServerDeps,
): Promise<string> {
  const { mailFrom, rcptTo } = session.envelope
  const envelope = {
    from: mailFrom ? mailFrom.address : '',
    to: [...new Set(rcptTo.map(({ address }) => address))],
  }
  const dsn = toDsnRequest(session.envelope)
  const user = userOf(session)
  const { maxMessageBytes: maxBytes, stallMs } = deps.config
  const memory = deps.limits.memoryOf(user?.account)
  using received = await receive(stream, { maxBytes, memory, stallMs })
  return await submit(deps, user, { envelope, dsn, message: received.message })
}

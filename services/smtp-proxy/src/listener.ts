import { setTimeout as delay } from 'node:timers/promises'
import { MailAddress, matches } from '@posthorn/contracts'
import {
  type Certificate,
  type Listener,
  listen,
  type ListenerAddress,
  type Penalties,
  plainAddress,
} from '@posthorn/service'
import type { Metrics } from '@posthorn/telemetry'
import {
  SMTPServer,
  type SMTPServerAuthentication,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'
import { checkSender, logIn, type User } from './access.ts'
import { type Buffered, receive } from './receive.ts'
import { Refusal, toRefusal } from './refusal.ts'
import { submit, type SubmitDeps } from './submit.ts'

export interface ListenerDeps extends SubmitDeps {
  penalties: Penalties
  buffered: Buffered
  maxMessageBytes: number
  maxConnections: number
  submissions: ReturnType<Metrics['counter']>
}

/** How long sessions may go on after their listener has closed: a message in hand is brought to its end. */
const closeMs = 5_000

/** Takes submissions at an address. Disposing takes no more connections and waits for the sessions there are, for a while. */
export async function openListener(
  { host, port, tls }: ListenerAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  if (tls && !certificate)
    throw new Error('TLS is on, but SVC_SMTP_PROXY_TLS_CERT and SVC_SMTP_PROXY_TLS_KEY are not set')
  const server = new SMTPServer({ ...optionsFor(certificate, tls, deps), ...handlersFor(deps) })
  server.on('error', (err) => deps.log.debug({ err }, 'a connection failed'))
  await listen(server.server, { host, port })
  return {
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

function optionsFor(
  certificate: Certificate | undefined,
  tls: boolean,
  deps: ListenerDeps,
): SMTPServerOptions {
  return {
    name: 'posthorn',
    banner: 'Posthorn MSA',
    secure: tls,
    ...(certificate ? { cert: certificate.cert, key: certificate.key, minVersion: 'TLSv1.2' } : {}),
    // Without TLS it is for the loopback and for networks that one trusts: the settings say so.
    allowInsecureAuth: true,
    disabledCommands: certificate ? [] : ['STARTTLS'],
    authMethods: ['PLAIN', 'LOGIN'],
    size: deps.maxMessageBytes,
    maxClients: deps.maxConnections,
    maxRecipients: 1_000,
    maxCommandLength: 8_192,
    socketTimeout: 5 * 60_000,
    closeTimeout: closeMs,
    disableReverseLookup: true,
    noDelay: true,
    keepAlive: true,
    logger: false,
  }
}

function handlersFor(deps: ListenerDeps): SMTPServerOptions {
  const { db, log } = deps
  const refused = (error: unknown, session: SMTPServerSession) => {
    const refusal = toRefusal(error)
    const { user, remoteAddress } = session as { user?: User; remoteAddress: string }
    const level = refusal.cause === undefined ? 'info' : 'warn'
    log[level](
      {
        err: refusal.cause,
        account: user?.account,
        address: remoteAddress,
        answer: refusal.message,
      },
      'refused',
    )
    return refusal
  }
  return {
    onAuth(auth, session, done) {
      authenticate(deps, auth, session).then(
        (user) => done(null, { user }),
        (error: unknown) => done(refused(error, session)),
      )
    },
    onMailFrom({ address }, session, done) {
      checkAddress(address, { mayBeEmpty: true })
        .then(() => checkSender(db, session.user as User))
        .then(
          () => done(),
          (error: unknown) => done(refused(error, session)),
        )
    },
    onRcptTo({ address }, session, done) {
      checkAddress(address, { mayBeEmpty: false }).then(
        () => done(),
        (error: unknown) => done(refused(error, session)),
      )
    },
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope
      const envelope = {
        from: mailFrom ? mailFrom.address : '',
        to: [...new Set(rcptTo.map(({ address }) => address))],
      }
      receive(stream, deps.maxMessageBytes, deps.buffered)
        .then((message) => submit(deps, session.user as User, { envelope, message }))
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
    },
  }
}

async function authenticate(
  { db, penalties }: ListenerDeps,
  { username = '', password, authzid }: SMTPServerAuthentication,
  session: SMTPServerSession,
): Promise<User> {
  const address = plainAddress(session.remoteAddress)
  // Acting for somebody else is nobody's right.
  const token = authzid && authzid !== username ? '' : (password ?? '')
  try {
    const user = await logIn(db, { account: username, token, address })
    penalties.succeeded(address, username)
    return user
  } catch (error) {
    if (!(error instanceof Refusal))
      throw new Refusal(454, 'Temporary authentication failure', { cause: error })
    await delay(penalties.failed(address, username))
    throw error
  }
}

/** Whatever goes on to another server is checked as strictly as what comes by the API. */
async function checkAddress(
  address: string,
  { mayBeEmpty }: { mayBeEmpty: boolean },
): Promise<void> {
  if (address === '' && mayBeEmpty) return
  if (!matches(MailAddress, address)) throw new Refusal(553, 'Invalid address')
}

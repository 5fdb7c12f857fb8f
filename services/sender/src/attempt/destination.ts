import type { Bus } from '@posthorn/bus'
import {
  type Credentials,
  getCredentials,
  getGatewayCredentials,
  type Settings,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Submission } from '../store/outbox.ts'
import type { Destination } from '../transports/transport.ts'
import { AttemptError, PreAttemptError } from '../transports/transport.ts'
import { chooseNetworkPath } from './network-path.ts'

export interface DestinationDeps {
  bus: Pick<Bus, 'request'>
  openLogin: UnsealLogin
  settings: Settings
  signal: AbortSignal
  credentialsMs: number
}

/** A credential is asked for on the grounds of the message that is to go out. */
type AskDeps = DestinationDeps & Pick<Submission, 'queueId'>

type Asked = Pick<Submission, 'queueId' | 'sender' | 'gateway' | 'proxy' | 'localAddress'>

/** A server, and who logs in there. */
interface Server {
  /** Whose it is, and in which version. */
  owner: readonly string[]
  host: string
  port: number
  secure: boolean
  rejectUnauthorized: boolean
  minTlsVersion?: string
  credentials: Destination['credentials']
}

/**
 * Where a message goes out, and how.
 *
 * @throws DeliveryError when there is nothing to send with any more; NotAttempted when the login of the proxy cannot be had now
 */
export async function resolveDestination(
  asked: Asked,
  deps: DestinationDeps,
): Promise<Destination> {
  const { queueId, sender, gateway: via, proxy, localAddress } = asked
  const { settings } = deps
  const { owner, rejectUnauthorized, ...server } = via
    ? gatewayServer(via, { ...deps, queueId })
    : accountServer(sender, { ...deps, queueId })
  const { account, proxy: accountProxy, smtpEhloName } = sender
  const way = chooseNetworkPath({ account, proxy, localAddress, accountProxy }, settings)
  const verifyCertificate = rejectUnauthorized && settings.ignoreMailCertErrors !== true
  const ehloName = smtpEhloName ?? settings.smtpEhloName
  return {
    ...server,
    ...way,
    ...(await proxyOf(way, deps)),
    // Everything that a session depends on: a change of any makes new ones.
    key: JSON.stringify([...owner, verifyCertificate, ehloName, ...partsOf(way)]),
    verifyCertificate,
    ...(ehloName === undefined ? {} : { ehloName }),
  }
}

function partsOf({
  proxy,
  localAddresses,
  requestedLocalAddress,
}: ReturnType<typeof chooseNetworkPath>) {
  return [proxy, localAddresses[0], requestedLocalAddress]
}

async function proxyOf(
  { proxy }: Pick<Destination, 'proxy'>,
  { openLogin, signal }: DestinationDeps,
): Promise<Pick<Destination, 'proxy'>> {
  try {
    return proxy === undefined ? {} : { proxy: await openLogin(proxy) }
  } catch (error) {
    if (isOver(error, signal)) throw notAttempted(error)
    const message = 'The login of the proxy cannot be opened'
    throw new AttemptError({ message, code: 'EPROXY' }, { cause: error })
  }
}

function accountServer(
  { account, version, smtp, byOAuth2 }: Submission['sender'],
  deps: AskDeps,
): Server {
  if (!smtp)
    throw new AttemptError({
      message: 'The account has no SMTP configuration',
      code: 'SMTPUnavailable',
    })
  const { host, port, secure = false, tls, auth, useAuthServer } = smtp
  const grounds = { queueId: deps.queueId }
  const logsIn = Boolean(auth) || useAuthServer === true || byOAuth2
  return {
    owner: ['account', account, version],
    host,
    port,
    secure,
    rejectUnauthorized: tls?.rejectUnauthorized !== false,
    ...(tls?.minVersion === undefined ? {} : { minTlsVersion: tls.minVersion }),
    credentials: async (refused) =>
      logsIn
        ? orFailure(deps, (how) =>
            deps.bus.request(
              getCredentials,
              { account, protocol: 'smtp', grounds, ...(refused ? { fresh: true } : {}) },
              how,
            ),
          )
        : undefined,
  }
}

function gatewayServer(
  { gateway, server }: NonNullable<Submission['gateway']>,
  deps: AskDeps,
): Server {
  if (!server)
    throw new AttemptError({
      message: `The gateway ${gateway} does not exist any more`,
      code: 'GatewayNotFound',
    })
  const { host, port, secure, username, version } = server
  const grounds = { queueId: deps.queueId }
  return {
    owner: ['gateway', gateway, version],
    host,
    port,
    secure,
    rejectUnauthorized: true,
    credentials: async () =>
      username === null
        ? undefined
        : orFailure(deps, (how) =>
            deps.bus.request(getGatewayCredentials, { gateway, grounds }, how),
          ),
  }
}

type Asking = { key: 'credentials'; timeoutMs: number; signal: AbortSignal }

async function orFailure(
  { signal, credentialsMs }: DestinationDeps,
  ask: (how: Asking) => Promise<Credentials>,
): Promise<Credentials> {
  try {
    return await ask({ key: 'credentials', timeoutMs: credentialsMs, signal })
  } catch (error) {
    if (isOver(error, signal) || !(error instanceof AppError)) throw notAttempted(error)
    throw new AttemptError(
      { message: error.message, code: codeOf(error), command: 'AUTH' },
      { cause: error },
    )
  }
}

/** Nobody there to ask says nothing about the message; every other answer is one. */
function isOver(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || !(error instanceof AppError)) return true
  return ['unavailable', 'timeout'].includes(error.kind)
}

function notAttempted(cause: unknown): PreAttemptError {
  return new PreAttemptError('credentials cannot be had now', { cause })
}

function codeOf({ code, kind }: AppError): string {
  if (code === undefined || code === 'AuthenticationFails')
    return kind === 'rejected' ? 'EAUTH' : 'ECREDENTIALS'
  return code
}

import { isIP } from 'node:net'
import type { SecureVersion } from 'node:tls'
import {
  type Credentials,
  getCredentials,
  getGatewayCredentials,
} from '@posthorn/contracts/commands/credentials'
import type { CommandRequest } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import { assertDestination, type RegisteredServer } from '@posthorn/contracts/schemas/destination'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { AppError } from '@posthorn/errors'
import { isSameAddress, rankAddresses } from '@posthorn/net/local-addresses'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Submission } from '../../store/submission.ts'
import { type CredentialsDeps, fromAuthBridge, requestCredentials } from '../credentials.ts'
import { AttemptError, PreAttemptError } from '../transport.ts'

/** Outgoing server of a message, and the network path to the server. */
export interface Destination {
  /**
   * Identifies all properties that a session depends on. Messages with equal keys share sessions.
   */
  key: string
  host: string
  port: number
  /** Implicit TLS (RFC 8314); otherwise STARTTLS. */
  secure: boolean
  /** True if the session may stay unencrypted without STARTTLS. */
  allowsPlaintext: boolean
  /** If false, any certificate is accepted. */
  verifyCertificate: boolean
  minTlsVersion?: SecureVersion
  /**
   * True if a tenant has chosen the server. The duration of a failed connection must then not
   * reveal whether the port is open.
   */
  isTenantsServer?: boolean
  /** Argument of EHLO. Defaults to the host name of the outgoing address. */
  ehloName?: string
  /** Proxy URL with the login in plaintext. Absent for a direct connection. */
  proxy?: string
  /** Local addresses to connect from, preferred first. If empty, the system chooses. */
  localAddresses: readonly string[]
  /** Local address the submission asked for, whether available or not. */
  requestedLocalAddress?: string
  /**
   * Login for a new session; undefined if the server needs no login. `rejected` are credentials the
   * server has just rejected: the callee then obtains new credentials.
   */
  credentials: (rejected?: Credentials) => Promise<Credentials | undefined>
}

export interface DestinationDeps extends CredentialsDeps {
  unsealLogin: UnsealLogin
  settings: Settings
}

/** Server of a destination, with the login of the server. */
type OutgoingServer = Pick<
  Destination,
  | 'host'
  | 'port'
  | 'secure'
  | 'allowsPlaintext'
  | 'minTlsVersion'
  | 'isTenantsServer'
  | 'credentials'
> & {
  /** Owner and version of the configuration: part of the session key. */
  owner: readonly string[]
  rejectUnauthorized: boolean
}

type Routed = Pick<Submission, 'queueId' | 'sender' | 'gateway' | 'proxy' | 'localAddress'>

/**
 * Resolves the server and the network path of a submission.
 *
 * @throws AttemptError if the server was removed; PreAttemptError if auth-bridge is unavailable
 */
export async function resolveDestination(
  submission: Routed,
  deps: DestinationDeps,
): Promise<Destination> {
  const { sender, gateway } = submission
  const { settings } = deps
  const { owner, rejectUnauthorized, ...server } = gateway
    ? gatewayServer(gateway, submission, deps)
    : accountServer(submission, deps)
  const { account, proxy: accountProxy } = sender
  const path = chooseNetworkPath({ ...submission, account, accountProxy }, settings)
  const proxy = path.proxy && (await unsealProxy(path.proxy, deps))
  // A proxy could read the data that an unverified connection sends.
  const ignoresErrors = settings.ignoreMailCertErrors === true && path.proxy === undefined
  const verifyCertificate = rejectUnauthorized && !ignoresErrors
  const ehloName = sender.smtpEhloName ?? settings.smtpEhloName
  return defined({
    ...server,
    ...path,
    proxy,
    key: JSON.stringify([
      ...owner,
      verifyCertificate,
      ehloName,
      path.proxy,
      path.localAddresses[0],
      path.requestedLocalAddress,
    ]),
    verifyCertificate,
    ehloName,
  })
}

export interface EgressPreferences {
  account: string
  /** Request of the submission. */
  proxy: string | null
  localAddress: string | null
  accountProxy: string | null
}

type PathSettings = Pick<Settings, 'proxyEnabled' | 'proxyUrl' | 'localAddresses' | 'smtpStrategy'>

/**
 * Chooses the proxy and the local addresses. Proxy: the submission's proxy, the account's, or the
 * global proxy. Address: the requested address if configured, then by strategy. `dedicated` gives
 * an account a constant address, `random` any address; otherwise the system chooses.
 */
export function chooseNetworkPath(
  { account, proxy, localAddress, accountProxy }: EgressPreferences,
  { proxyEnabled, proxyUrl, localAddresses = [], smtpStrategy }: PathSettings,
  random: () => number = Math.random,
): Pick<Destination, 'proxy' | 'localAddresses' | 'requestedLocalAddress'> {
  const configured = localAddresses.filter((address) => isIP(address) !== 0)
  const requested =
    localAddress === null
      ? undefined
      : configured.find((address) => isSameAddress(address, localAddress))
  const ranked = rankAddresses(configured, { strategy: smtpStrategy, account, random })
  return defined({
    localAddresses:
      requested === undefined ? ranked : [requested, ...ranked.filter((a) => a !== requested)],
    proxy: proxy || accountProxy || (proxyEnabled === true && proxyUrl) || undefined,
    requestedLocalAddress: requested ?? localAddress ?? undefined,
  })
}

function unsealProxy(proxy: string, { unsealLogin, signal }: DestinationDeps): Promise<string> {
  const toFailure = () => ({ message: 'Proxy login cannot be decrypted', code: 'EPROXY' })
  return fromAuthBridge(() => unsealLogin(proxy), signal, toFailure)
}

function accountServer({ queueId, sender }: Routed, deps: DestinationDeps): OutgoingServer {
  const { account, version, smtp, byOAuth2, isTenantsServer } = sender
  if (!smtp) {
    const message = 'The account has no SMTP configuration'
    throw new AttemptError({ message, code: 'SMTPUnavailable' })
  }
  const { host, port, secure = false, tls, auth, useAuthServer } = smtp
  const hasLogin = Boolean(auth) || useAuthServer === true || byOAuth2
  return defined({
    owner: ['account', account, version],
    host,
    port,
    secure,
    allowsPlaintext: tls?.requireStartTls === false,
    rejectUnauthorized: tls?.rejectUnauthorized !== false,
    minTlsVersion: tls?.minVersion,
    isTenantsServer,
    credentials: async (rejected?: Credentials) => {
      if (!hasLogin) return undefined
      const entitlement = { queueId }
      const fresh = rejected ? true : undefined
      const request = defined({ account, protocol: 'smtp', entitlement, fresh })
      return credentialsFrom(deps, getCredentials, { request, server: smtp, proxy: sender.proxy })
    },
  })
}

function gatewayServer(
  { name: gateway, server }: NonNullable<Submission['gateway']>,
  { queueId }: Routed,
  deps: DestinationDeps,
): OutgoingServer {
  if (!server) {
    const message = `The gateway ${gateway} does not exist any more`
    throw new AttemptError({ message, code: 'GatewayNotFound' })
  }
  const { username, version, ...address } = server
  return {
    ...address,
    owner: ['gateway', gateway, version],
    allowsPlaintext: false,
    rejectUnauthorized: true,
    credentials: async () => {
      if (username === null) return undefined
      const request = { gateway, entitlement: { queueId } }
      return credentialsFrom(deps, getGatewayCredentials, { request, server, proxy: null })
    },
  }
}

interface CredentialsUse<C extends typeof getCredentials | typeof getGatewayCredentials> {
  request: CommandRequest<C>
  /** Server that gets the credentials. */
  server: RegisteredServer
  /** Proxy of the account. */
  proxy: string | null
}

async function credentialsFrom<C extends typeof getCredentials | typeof getGatewayCredentials>(
  deps: DestinationDeps,
  command: C,
  { request, server, proxy }: CredentialsUse<C>,
): Promise<Credentials> {
  try {
    const credentials = await requestCredentials(deps, command, request)
    assertDestination(credentials, server, proxy)
    return credentials
  } catch (error) {
    if (error instanceof AppError && error.code === 'DestinationMismatch')
      throw new PreAttemptError('credentials unavailable', { cause: error })
    if (!(error instanceof AttemptError)) throw error
    throw new AttemptError({ ...error.outcome.failure, command: 'AUTH' }, { cause: error.cause })
  }
}

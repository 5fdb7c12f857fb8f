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

/** Outgoing mail server to which a message is sent, and the network path to the server. */
export interface Destination {
  /**
   * Key of the SMTP sessions that a message may use. The key identifies all properties that a
   * session depends on, so messages with equal keys share sessions.
   */
  key: string
  host: string
  port: number
  /** True for implicit TLS (RFC 8314) with the mail server; false for STARTTLS. */
  secure: boolean
  /** True if the SMTP session may stay unencrypted when the server does not offer STARTTLS. */
  allowsPlaintext: boolean
  /**
   * True if the certificate of the mail server is verified; false if any certificate is accepted.
   */
  verifyCertificate: boolean
  minTlsVersion?: SecureVersion
  /**
   * True if a tenant has chosen the mail server. The duration of a failed connection must then not
   * reveal whether the port is open.
   */
  isTenantsServer?: boolean
  /** Name that the sender states in EHLO. Defaults to the host name of the outgoing IP address. */
  ehloName?: string
  /**
   * URL of the proxy to the mail server, with the proxy login in plaintext. Absent for a direct
   * connection.
   */
  proxy?: string
  /**
   * Local IP addresses for the connection to the mail server, preferred address first. If empty,
   * the system chooses an address.
   */
  localAddresses: readonly string[]
  /**
   * Local IP address that the submission requested for the connection to the mail server, whether
   * available or not.
   */
  requestedLocalAddress?: string
  /**
   * Returns the login for a new SMTP session; undefined if the server needs no login. `rejected`
   * are credentials that the server has just rejected: the function then obtains new credentials.
   */
  credentials: (rejected?: Credentials) => Promise<Credentials | undefined>
}

export interface DestinationDeps extends CredentialsDeps {
  unsealLogin: UnsealLogin
  settings: Settings
}

/** Properties of a destination that concern the mail server and the login at the server. */
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
  /**
   * Account or gateway (shared SMTP server), and the version of its configuration: part of the key
   * that decides which messages may share an SMTP session.
   */
  owner: readonly string[]
  rejectUnauthorized: boolean
}

type Routed = Pick<Submission, 'queueId' | 'sender' | 'gateway' | 'proxy' | 'localAddress'>

/**
 * Resolves the outgoing mail server and the network path of a submission.
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
  // Verifies certificates of mail servers behind a proxy in any case, because the proxy could read
  // the data that an unverified connection sends.
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
  /** Proxy that the submission requested. Null if the submission requested no proxy. */
  proxy: string | null
  localAddress: string | null
  accountProxy: string | null
}

type PathSettings = Pick<Settings, 'proxyEnabled' | 'proxyUrl' | 'localAddresses' | 'smtpStrategy'>

/**
 * Chooses the proxy and the local addresses of a submission. Proxy: the submission's proxy, the
 * account's proxy, or the global proxy. Address: the requested address if configured, then by
 * strategy. `dedicated` gives an account a constant address, `random` any address; otherwise the
 * system chooses.
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
  /** Mail server that will receive the credentials from auth-bridge. */
  server: RegisteredServer
  /** Proxy that the account names for its mail servers. Null if the account names no proxy. */
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

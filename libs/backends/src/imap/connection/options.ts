import { isIP } from 'node:net'
import { release } from '@posthorn/config/release'
import { resolveAllowed, type ResolvedAddress } from '@posthorn/net/egress'
import { findLocalAddress } from '@posthorn/net/local-addresses'
import { assertMailPort } from '@posthorn/net/ports'
import type { ImapFlowOptions } from 'imapflow'
import type { ConnectOptions } from '../../mail-session.ts'
import { connectError, connectAborted } from './errors.ts'
import { fetchLimits } from '../responses/limits.ts'
import type { SecureContexts } from './secure-contexts.ts'
import { openTunnel } from './tunnel.ts'

export const defaultConnectMs = 30_000
/** Time without a byte after which an IMAP connection with a running command is closed. */
const socketTimeoutMs = 100_000

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

/**
 * Options of imapflow for one IMAP connection. Checks the addresses of the server against the
 * egress policy. With a proxy, checks the addresses of the proxy and a literal address of the
 * server, and resolves the server's name after the tunnel is established.
 */
export async function clientOptions(
  options: ConnectOptions,
  { signal, contexts }: { signal: AbortSignal; contexts: SecureContexts },
): Promise<ImapFlowOptions> {
  const { host, port, secure, credentials, rejectUnauthorized = true, minTlsVersion } = options
  if (options.mailPorts) assertMailPort(options, options.mailPorts)
  const connectMs = options.connectTimeoutMs ?? defaultConnectMs
  const minVersion = tlsVersions.find((version) => version === minTlsVersion) ?? 'TLSv1.2'
  const { proxy } = options
  // Plaintext is allowed on loopback only, or if an option permits it: an attacker on the network
  // path could remove STARTTLS (RFC 8314 §3.3).
  const isLocal = proxy === undefined && isLoopback(host)
  const allowsPlaintext = options.allowsPlaintext === true || isLocal
  // imapflow passes all of these TLS options to tls.connect(), although its types lack some of
  // them.
  const tls = {
    ...(proxy === undefined ? pinAddresses(await addressesOf(host, options, signal), options) : {}),
    rejectUnauthorized,
    minVersion,
    secureContext: contexts.from(minVersion),
  }
  return {
    host,
    port,
    secure,
    ...(secure || allowsPlaintext ? {} : { doSTARTTLS: true }),
    auth: credentials,
    tls,
    clientInfo: { ...defaultClientInfo, ...options.clientInfo },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: socketTimeoutMs,
    // imapflow must not enter IDLE. Only `watch` of this library does.
    disableAutoIdle: true,
    qresync: true,
    disableIMAP4rev2: options.disableIMAP4rev2 === true,
    // The maximum length of an IMAP response line allows a SEARCH response with a million UIDs,
    // which is a line of 8 MB. `ResponseFilter` has lower limits for other responses.
    maxLineLength: 16 * 2 ** 20,
    maxLiteralSize: 64 * 2 ** 20,
    maxResponseSize: 96 * 2 ** 20,
    // imapflow's maximum number of tokens is twice the maximum of `ResponseFilter`, because
    // imapflow counts more tokens than `ResponseFilter` in invalid responses.
    maxResponseTokens: 2 * fetchLimits.tokens,
    ...(proxy === undefined
      ? {}
      : {
          transport: await openTunnel({ ...options, proxy }, { signal, timeoutMs: connectMs }),
        }),
  }
}

/**
 * Default client identification for the IMAP command ID. Replaces the default values of imapflow.
 */
const defaultClientInfo = {
  name: 'Posthorn',
  version: release.version,
  vendor: 'Posthorn',
  'support-url': false,
} as const

async function addressesOf(
  host: string,
  { egress = 'off' }: ConnectOptions,
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  try {
    return await resolveAllowed(host, egress, { signal })
  } catch (error) {
    throw signal.aborted ? connectAborted(signal) : connectError(error)
  }
}

/**
 * Options of net.connect and tls.connect for a mail server: only the checked addresses of the
 * server, a source address of the same family if configured, and no delay of small writes.
 */
function pinAddresses(
  resolved: ResolvedAddress[],
  { localAddresses = [] }: Pick<ConnectOptions, 'localAddresses'>,
): object {
  const from = ([4, 6] as const)
    .filter((family) => resolved.some((address) => address.family === family))
    .map((family) => ({ family, localAddress: findLocalAddress(localAddresses, family) }))
    .find(({ localAddress }) => localAddress !== undefined)
  // With a source address, Node tries only one destination address of the mail server. The
  // destination must be of the same family as the source address.
  const addresses = from ? resolved.filter(({ family }) => family === from.family) : resolved

  type Callback = (error: null, addresses: ResolvedAddress[] | string, family?: number) => void
  const lookup = (_host: string, { all }: { all?: boolean }, callback: Callback) => {
    const [first] = addresses
    if (all || !first) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
  return { lookup, noDelay: true, ...(from ? { localAddress: from.localAddress } : {}) }
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

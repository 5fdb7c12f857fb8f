import { isIP } from 'node:net'
import { findLocalAddress, resolveAllowed, type ResolvedAddress } from '@posthorn/net'
import type { ImapFlowOptions } from 'imapflow'
import type { ConnectOptions } from '../backend.ts'
import { connectError, connectAborted } from './errors.ts'
import type { SecureContexts } from './secure-contexts.ts'
import { openTunnel } from './tunnel.ts'

export const defaultConnectMs = 30_000
/** A command without a byte of answer for so long means that nobody is there. */
const socketTimeoutMs = 100_000

const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const

/**
 * What imapflow is told. The egress policy judges the addresses of the host; behind a proxy those of the proxy, and the host's where it is
 * one. A proxy has been gone through when this resolves.
 */
export async function clientOptions(
  options: ConnectOptions,
  { signal, contexts }: { signal: AbortSignal; contexts: SecureContexts },
): Promise<ImapFlowOptions> {
  const { host, port, secure, credentials, rejectUnauthorized = true, minTlsVersion } = options
  const connectMs = options.connectTimeoutMs ?? defaultConnectMs
  const minVersion = tlsVersions.find((version) => version === minTlsVersion) ?? 'TLSv1.2'
  // A password in clear is for machines that talk to themselves, and for whoever has asked not to look at certificates either.
  const mayBeClear = !rejectUnauthorized || isLoopback(host)
  const { proxy } = options
  // imapflow hands all of it to tls.connect(), whatever its types name.
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
    ...(secure || mayBeClear ? {} : { doSTARTTLS: true }),
    auth:
      'accessToken' in credentials
        ? { user: credentials.user, accessToken: credentials.accessToken }
        : credentials,
    tls,
    clientInfo: { ...defaultClientInfo, ...options.clientInfo },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: socketTimeoutMs,
    // IDLE is entered by watch() alone.
    disableAutoIdle: true,
    qresync: true,
    disableIMAP4rev2: options.disableIMAP4rev2 === true,
    // A SEARCH answer of a million UIDs is a line of 8 MB. Literals are asked for in pieces, but some servers send all at once.
    maxLineLength: 16 * 2 ** 20,
    maxLiteralSize: 64 * 2 ** 20,
    maxResponseSize: 96 * 2 ** 20,
    maxResponseTokens: 250_000,
    ...(proxy === undefined
      ? {}
      : {
          transport: await openTunnel({ ...options, proxy }, { signal, timeoutMs: connectMs }),
        }),
  }
}

/** imapflow has words of its own for what is not said. */
const defaultClientInfo = {
  name: 'Posthorn',
  version: '1',
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
 * Options that net.connect and tls.connect take alike: the addresses that were checked and no others, one of ours where one is to be
 * used, and no delay for small writes.
 */
function pinAddresses(
  resolved: ResolvedAddress[],
  { localAddresses = [] }: Pick<ConnectOptions, 'localAddresses'>,
): object {
  const from = ([4, 6] as const)
    .filter((family) => resolved.some((address) => address.family === family))
    .map((family) => ({ family, localAddress: findLocalAddress(localAddresses, family) }))
    .find(({ localAddress }) => localAddress !== undefined)
  // With an address of ours Node tries one of theirs alone: it has to be of the same family.
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

import { BlockList, isIPv6 } from 'node:net'
import { defined } from '@posthorn/contracts'
import type { NetworkRouting } from '@posthorn/db'
import { AppError, messageOf } from '@posthorn/errors'
import {
  type EgressPolicy,
  type ConnectedSocket,
  connectSocket,
  redactProxyUrl,
} from '@posthorn/net'
import { AttemptError, cancelled, type Destination } from './transport.ts'

/**
 * Connects to the server of a destination over its network path.
 *
 * @throws AttemptError; PreAttemptError if the signal is aborted
 */
export async function connectDestination(
  { host, port, proxy, localAddresses }: Destination,
  { timeoutMs, egress, signal }: { timeoutMs: number; egress: EgressPolicy; signal: AbortSignal },
): Promise<ConnectedSocket> {
  const options = defined({ timeoutMs, egress, signal, localAddresses, proxy })
  try {
    return await connectSocket({ host, port }, options)
  } catch (error) {
    if (signal.aborted) throw cancelled(signal)
    throw connectError(error, host)
  }
}

function connectError(error: unknown, host: string): AttemptError {
  const { name, code } = error as NodeJS.ErrnoException
  const timedOut = name === 'TimeoutError' || name === 'AbortError'
  const message = timedOut ? `Connection to ${host} timed out` : messageOf(error)
  const reported = error instanceof AppError ? error.code : code
  return new AttemptError(
    { message, code: timedOut ? 'ETIMEDOUT' : (reported ?? 'ECONNECTION'), command: 'CONN' },
    { cause: error },
  )
}

/** Network path for events and the outbox. Undefined for the default: no proxy, any address. */
export function networkRoutingOf(
  { proxy, requestedLocalAddress }: Pick<Destination, 'proxy' | 'requestedLocalAddress'>,
  { localAddress, name }: { localAddress: string | undefined; name: string | undefined },
): NetworkRouting | undefined {
  const missed = requestedLocalAddress === localAddress ? undefined : requestedLocalAddress
  if (localAddress === undefined && proxy === undefined && missed === undefined) return undefined
  return defined({
    localAddress,
    name,
    proxy: proxy === undefined ? undefined : redactProxyUrl(proxy),
    requestedLocalAddress: missed,
  })
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * True if a server must offer STARTTLS. An attacker on the path could remove STARTTLS from the
 * greeting (RFC 8314 §3.3). Exempt are servers on loopback, and destinations that accept any
 * certificate, which would not stop that attacker either.
 */
export function requiresStartTls(
  { secure, verifyCertificate }: Pick<Destination, 'secure' | 'verifyCertificate'>,
  address: string,
): boolean {
  return !secure && verifyCertificate && !loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

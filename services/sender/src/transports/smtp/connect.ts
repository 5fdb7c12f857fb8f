import { reverse } from 'node:dns/promises'
import { BlockList, isIPv6 } from 'node:net'
import { hostname } from 'node:os'
import { defined } from '@posthorn/contracts/defined'
import type { NetworkRouting } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { TtlCache, withTimeout } from '@posthorn/flow'
import { type ConnectedSocket, connectSocket } from '@posthorn/net/connect-socket'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import { redactProxyUrl } from '@posthorn/net/proxy'
import { AttemptError, cancelled } from '../transport.ts'
import type { Destination } from './destination.ts'

/**
 * Connects to the mail server of a destination over the destination's network path.
 *
 * @throws AttemptError; PreAttemptError if the signal is aborted
 */
export async function connectDestination(
  { host, port, proxy, localAddresses }: Destination,
  limits: { timeoutMs: number; egress: EgressPolicy; mailPorts: MailPorts; signal: AbortSignal },
): Promise<ConnectedSocket> {
  const { signal } = limits
  const options = { ...limits, localAddresses, ...defined({ proxy }) }
  try {
    return await connectSocket({ host, port }, options)
  } catch (error) {
    if (signal.aborted) throw cancelled(signal)
    throw connectError(error)
  }
}

/**
 * Failure of a connection to a mail server. The text of a system error is not part of the failure,
 * because the text contains the IP address.
 */
function connectError(error: unknown): AttemptError {
  const { name, code: reported } = error as NodeJS.ErrnoException
  const timedOut = name === 'TimeoutError' || name === 'AbortError'
  const code = timedOut ? 'ETIMEDOUT' : (reported ?? 'ECONNECTION')
  const message =
    error instanceof AppError ? error.message : `The mail server cannot be reached: ${code}`
  return new AttemptError({ message, code, command: 'CONN' }, { cause: error })
}

/**
 * Network path of a sending attempt, as stored in events and the outbox. Undefined for the default
 * path: no proxy, any address.
 */
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
 * True if a mail server must offer STARTTLS. An attacker on the path could remove STARTTLS from the
 * EHLO reply (RFC 8314 §3.3). Exempt are servers on loopback, and destinations that allow
 * plaintext.
 */
export function requiresStartTls(
  { secure, allowsPlaintext }: Pick<Destination, 'secure' | 'allowsPlaintext'>,
  address: string,
): boolean {
  return !secure && !allowsPlaintext && !loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

type ReverseLookup = (address: string) => Promise<string[]>

const cacheMs = 3_600_000
const lookupTimeoutMs = 2_000
const maxCached = 1_000

/**
 * Names that the sender states in EHLO, by local address. Receiving servers compare the name with
 * the reverse DNS record of the address, so the name of that record is preferred, then the
 * machine's name, then an address literal.
 */
export class EhloNames {
  readonly #cache = new TtlCache<string, string>({ ttlMs: cacheMs, max: maxCached })
  readonly #reverse: ReverseLookup
  readonly #machine: string

  constructor(lookup: ReverseLookup = reverse, machine = hostname()) {
    this.#reverse = lookup
    this.#machine = machine
  }

  async of(localAddress: string | undefined): Promise<string> {
    if (localAddress === undefined) return this.#fallback('127.0.0.1')
    return this.#cache.load(localAddress, () => this.#lookUp(localAddress))
  }

  async #lookUp(address: string): Promise<string> {
    const lookup = this.#reverse(address).catch(() => [])
    const names = await withTimeout(lookup, lookupTimeoutMs, () => [])
    return names.find(isHostName) ?? this.#fallback(address)
  }

  /**
   * EHLO name for an address without a reverse DNS record. RFC 5321 §4.1.4: a client without a
   * qualified name, as in a container, sends its address.
   */
  #fallback(address: string): string {
    if (this.#machine.includes('.') && isHostName(this.#machine)) return this.#machine
    return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`
  }
}

function isHostName(name: string): boolean {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name)
}

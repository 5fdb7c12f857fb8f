import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '@posthorn/errors'
import ipaddr from 'ipaddr.js'

export const egressPolicies = ['link-local', 'private', 'off'] as const
/**
 * Where connections may go. `link-local` refuses link-local and cloud metadata addresses; `private` also refuses loopback, private,
 * reserved and every other range that is not public; `off` refuses nothing.
 */
export type EgressPolicy = (typeof egressPolicies)[number]

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/** Finds the addresses of a host name. The system's resolver, unless a test has its own. */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>

export interface ResolveOptions {
  signal?: AbortSignal
  lookup?: Lookup
}

const lookupBySystem: Lookup = (host) => systemLookup(host, { all: true })

/** Instance metadata that lies outside the link-local ranges. */
const metadataAddresses = new Set([
  'fd00:ec2::254', // AWS over IPv6
  'fd20:ce::254', // Google Cloud over IPv6
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle Cloud
])

/**
 * Throws unless the address may be connected to. What cannot be read as an address is refused: nothing is known about it.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertAllowed(address: string, policy: EgressPolicy): void {
  if (policy === 'off') return
  const literal = withoutBrackets(address)
  if (isIP(literal) === 0) throw blocked(literal)
  const parsed = ipaddr.process(literal)
  for (const meant of [parsed, ...embedded(parsed)]) {
    if (isRefused(meant, policy)) throw blocked(literal)
  }
}

/**
 * The addresses of a host, all of which may be connected to; one that may not refuses the host. Connect to what is returned and to
 * nothing else: a second lookup may answer differently.
 *
 * Literals come in any spelling that the system's resolver takes (`127.1`, `0x7f000001`, `2130706433`, `[::1]`, `fe80::1%eth0`).
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`; the resolver's error when the name has no address; the signal's reason.
 */
export async function resolveAllowed(
  host: string,
  policy: EgressPolicy,
  { signal, lookup = lookupBySystem }: ResolveOptions = {},
): Promise<ResolvedAddress[]> {
  signal?.throwIfAborted()
  const name = withoutBrackets(host)
  const family = isIP(name)
  const found = family === 0 ? await abortable(lookup(name), signal) : [{ address: name, family }]
  for (const { address } of found) assertAllowed(address, policy)
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

type Address = ReturnType<typeof ipaddr.process>

function isRefused(address: Address, policy: Exclude<EgressPolicy, 'off'>): boolean {
  const range = address.range()
  if (range === 'linkLocal' || metadataAddresses.has(withoutZone(address))) return true
  return policy === 'private' && range !== 'unicast'
}

function withoutZone(address: Address): string {
  return address.toString().replace(/%.*$/, '')
}

/** IPv6 ranges that carry an IPv4 address, to which a gateway or the kernel may pass the packet: prefix, its bits, where the four bytes are. */
const carriers: readonly [prefix: string, bits: number, at: readonly number[]][] = [
  ['::', 96, [12, 13, 14, 15]], // IPv4-compatible, RFC 4291 §2.5.5.1
  ['::ffff:0:0:0', 96, [12, 13, 14, 15]], // IPv4-translated, RFC 2765 §2.1
  ['64:ff9b::', 96, [12, 13, 14, 15]], // NAT64, RFC 6052 §2.1
  ['64:ff9b:1::', 48, [12, 13, 14, 15]], // NAT64 of a site, RFC 8215: the common /96 of it
  ['64:ff9b:1::', 48, [6, 7, 9, 10]], // and all of it, RFC 6052 §2.2
  ['2002::', 16, [2, 3, 4, 5]], // 6to4, RFC 3056 §2
]

/** IPv4-mapped addresses were unwrapped by `process` already. */
function embedded(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return []
  const bytes = address.toByteArray()
  return carriers
    .filter(([prefix, bits]) => address.match(ipaddr.IPv6.parse(prefix), bits))
    .map(([, , at]) => ipaddr.fromByteArray(at.map((index) => bytes[index] ?? 0)))
}

function blocked(address: string): AppError {
  return new AppError('forbidden', `Connections to ${address} are not allowed`, {
    code: 'EEGRESSBLOCKED',
  })
}

/** A lookup cannot be called off: it is left to itself. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

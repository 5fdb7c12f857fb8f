import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '@posthorn/errors'
import { abortable } from '@posthorn/flow'
import ipaddr from 'ipaddr.js'

export const egressPolicies = ['link-local', 'private', 'off'] as const
/**
 * Egress policy: the destination addresses to which connections are allowed. `link-local` forbids
 * link-local and cloud metadata addresses. `private` also forbids loopback, private, reserved and
 * all other non-public ranges. `off` allows all addresses.
 */
export type EgressPolicy = (typeof egressPolicies)[number]

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

/**
 * Function that resolves a host name to its addresses. Tests replace the system resolver by such a
 * function.
 */
export type Lookup = (host: string) => Promise<readonly { address: string; family: number }[]>

interface ResolveOptions {
  signal?: AbortSignal
  lookup?: Lookup | undefined
}

const systemResolver: Lookup = (host) => systemLookup(host, { all: true })

/** Addresses of cloud metadata services that are not in the link-local ranges. */
export const metadataAddresses: ReadonlySet<string> = new Set([
  'fd00:ec2::254', // metadata service of AWS over IPv6
  'fd20:ce::254', // metadata service of Google Cloud over IPv6
  '100.100.100.200', // metadata service of Alibaba Cloud
  '168.63.129.16', // metadata service of Azure
  '192.0.0.192', // metadata service of Oracle Cloud
])

/**
 * Checks a destination address against the egress policy. A text that is not an IP address is
 * rejected.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertAllowed(address: string, policy: EgressPolicy): void {
  if (policy === 'off') return
  const literal = withoutBrackets(address)
  if (isIP(literal) === 0) throw blocked()
  const parsed = ipaddr.process(literal)
  for (const candidate of [parsed, ...embedded(parsed)]) {
    if (isForbidden(candidate, policy)) throw blocked()
  }
}

/**
 * Resolves a host and checks all its addresses against the egress policy. If one of the addresses
 * is forbidden, the host is forbidden. Connect only to the returned addresses: a second lookup may
 * return other addresses.
 *
 * An IP address as the host may have any spelling that the system resolver accepts (`127.1`,
 * `0x7f000001`, `2130706433`, `[::1]`, `fe80::1%eth0`).
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`; the resolver's error if the name has no address;
 * the signal's reason
 */
export async function resolveAllowed(
  host: string,
  policy: EgressPolicy,
  { signal, lookup = systemResolver }: ResolveOptions = {},
): Promise<ResolvedAddress[]> {
  signal?.throwIfAborted()
  const name = withoutBrackets(host)
  const family = isIP(name)
  // If the signal aborts, the function no longer waits for the lookup of the host name. The lookup
  // itself cannot be cancelled.
  const resolve = () => (signal ? abortable(lookup(name), signal) : lookup(name))
  const addresses = family === 0 ? await resolve() : [{ address: name, family }]
  for (const { address } of addresses) assertAllowed(address, policy)
  return addresses.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
}

export function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

type Address = ReturnType<typeof ipaddr.process>

function isForbidden(address: Address, policy: Exclude<EgressPolicy, 'off'>): boolean {
  const range = address.range()
  if (range === 'linkLocal' || metadataAddresses.has(withoutZone(address))) return true
  return policy === 'private' && range !== 'unicast'
}

function withoutZone(address: Address): string {
  return address.toString().replace(/%.*$/, '')
}

/**
 * IPv6 ranges whose addresses contain an IPv4 address: prefix, prefix length, and positions of the
 * four bytes of the IPv4 address. A gateway or the kernel may forward packets to this IPv4 address.
 */
const embeddingRanges: readonly [prefix: string, bits: number, at: readonly number[]][] = [
  ['::', 96, [12, 13, 14, 15]], // IPv4-compatible addresses, RFC 4291 §2.5.5.1
  ['::ffff:0:0:0', 96, [12, 13, 14, 15]], // IPv4-translated addresses, RFC 2765 §2.1
  ['64:ff9b::', 96, [12, 13, 14, 15]], // addresses of NAT64, RFC 6052 §2.1
  ['64:ff9b:1::', 48, [12, 13, 14, 15]], // addresses of local-use NAT64, RFC 8215, as /96
  ['64:ff9b:1::', 48, [6, 7, 9, 10]], // addresses of local-use NAT64 as /48, RFC 6052 §2.2
  ['2002::', 16, [2, 3, 4, 5]], // addresses of 6to4, RFC 3056 §2
]

/**
 * Returns the IPv4 addresses that an IPv6 address contains. IPv4-mapped addresses do not occur
 * here, because `ipaddr.process` has already converted them to IPv4.
 */
function embedded(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return []
  const bytes = address.toByteArray()
  return embeddingRanges
    .filter(([prefix, bits]) => address.match(ipaddr.IPv6.parse(prefix), bits))
    .map(([, , at]) => ipaddr.fromByteArray(at.map((index) => bytes[index] ?? 0)))
}

/** Error for a host that has no addresses, equal to the error of the system resolver. */
export function noAddress(message: string): Error {
  return Object.assign(new Error(message), { code: 'ENOTFOUND' })
}

/**
 * Error for a destination that the egress policy forbids. The resolved address is not included,
 * because it may belong to a private network whose names the client cannot resolve.
 */
function blocked(): AppError {
  return new AppError('forbidden', 'Connections to the address of this host are not allowed', {
    code: 'EEGRESSBLOCKED',
  })
}

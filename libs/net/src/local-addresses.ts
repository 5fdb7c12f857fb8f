import { createHash } from 'node:crypto'
import { isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Choice of a local source address: `dedicated` is fixed per account, `random` varies. */
type AddressStrategy = 'default' | 'dedicated' | 'random'

interface AddressChoice {
  strategy: AddressStrategy | undefined
  account: string
  random?: () => number
}

/** Orders local source addresses by preference. Returns none if the system chooses the address. */
export function rankAddresses(
  addresses: readonly string[],
  { strategy, account, random = Math.random }: AddressChoice,
): string[] {
  const usable = addresses.filter((address) => isIP(address) !== 0)
  if (strategy === 'random') return sortedBy(usable, random)
  if (strategy === 'dedicated') return sortedBy(usable, (address) => weight(account, address))
  return []
}

/** Compares two IP addresses independent of their spelling. */
export function isSameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIP(other) !== 0 && normalize(one) === normalize(other)
}

/**
 * Returns the first local source address that this machine has; other replicas may have the other
 * addresses.
 */
export function findLocalAddress(
  addresses: readonly string[],
  family: 4 | 6,
  interfaces: typeof networkInterfaces = networkInterfaces,
): string | undefined {
  const candidates = addresses.filter((address) => isIP(address) === family)
  if (candidates.length === 0) return undefined
  const local = Object.values(interfaces()).flatMap((all = []) => all.map(({ address }) => address))
  return candidates.find(
    // A machine lists one loopback address but has the whole range of loopback addresses.
    (address) => address.startsWith('127.') || local.some((own) => isSameAddress(own, address)),
  )
}

function sortedBy(addresses: readonly string[], key: (address: string) => number): string[] {
  return addresses
    .map((address) => ({ address, at: key(address) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ address }) => address)
}

/**
 * Weight of a source address for an account by highest random weight hashing: a change of the list
 * moves only accounts of the changed address.
 */
function weight(account: string, address: string): number {
  const digest = createHash('sha256')
    .update(`${account}\n${normalize(address)}`)
    .digest()
  return -digest.readUIntBE(0, 6)
}

/** Returns the canonical spelling of an IP address (RFC 5952). */
function normalize(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address
}

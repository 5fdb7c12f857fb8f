import { createHash } from 'node:crypto'
import { isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Strategy for choosing a local source address. `dedicated`: an account always gets the same
 * address. `random`: each connection gets a random address.
 */
type AddressStrategy = 'default' | 'dedicated' | 'random'

interface AddressChoice {
  strategy: AddressStrategy | undefined
  account: string
  random?: () => number
}

/**
 * Sorts local source addresses by preference. The result is empty if the operating system is to
 * choose the address.
 */
export function rankAddresses(
  addresses: readonly string[],
  { strategy, account, random = Math.random }: AddressChoice,
): string[] {
  const usable = addresses.filter((address) => isIP(address) !== 0)
  if (strategy === 'random') return sortedBy(usable, random)
  if (strategy === 'dedicated') return sortedBy(usable, (address) => weight(account, address))
  return []
}

/** True if two texts are the same IP address, regardless of the spelling. */
export function isSameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIP(other) !== 0 && normalize(one) === normalize(other)
}

/**
 * Returns the first local source address that exists on this machine. The other addresses may
 * belong to other replicas.
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
    // All addresses in the loopback range exist on a machine, although the machine lists only one
    // of them.
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
 * Weight of a source address for an account (highest random weight hashing). When an address is
 * added to or removed from the list, only accounts of this address get another address.
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

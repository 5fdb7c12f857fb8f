import { createHash } from 'node:crypto'
import { isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'

/** How one of this machine's addresses is chosen: `dedicated` gives each account the same one for as long as it exists, `random` any. */
export type AddressStrategy = 'default' | 'dedicated' | 'random'

export interface Choice {
  strategy: AddressStrategy | undefined
  account: string
  random?: () => number
}

/** The addresses in the order to try them; none where the system is to choose. */
export function rankAddresses(
  addresses: readonly string[],
  { strategy, account, random = Math.random }: Choice,
): string[] {
  const usable = addresses.filter((address) => isIP(address) !== 0)
  if (strategy === 'random') return sortedBy(usable, random)
  if (strategy === 'dedicated') return sortedBy(usable, (address) => weight(account, address))
  return []
}

export function isSameAddress(one: string, other: string): boolean {
  return isIP(one) !== 0 && isIP(other) !== 0 && normal(one) === normal(other)
}

/** The first that this machine has; other replicas may have the others. */
export function ownAddress(
  addresses: readonly string[],
  family: 4 | 6,
  interfaces: typeof networkInterfaces = networkInterfaces,
): string | undefined {
  const fitting = addresses.filter((address) => isIP(address) === family)
  if (fitting.length === 0) return undefined
  const ours = Object.values(interfaces()).flatMap((all = []) => all.map(({ address }) => address))
  return fitting.find(
    // Of loopback a machine lists one address and has them all.
    (address) => address.startsWith('127.') || ours.some((own) => isSameAddress(own, address)),
  )
}

function sortedBy(addresses: readonly string[], key: (address: string) => number): string[] {
  return addresses
    .map((address) => ({ address, at: key(address) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ address }) => address)
}

/** Highest random weight: an address that comes or goes moves only the accounts that it gets or had. */
function weight(account: string, address: string): number {
  const digest = createHash('sha256')
    .update(`${account}\n${normal(address)}`)
    .digest()
  return -digest.readUIntBE(0, 6)
}

/** An address has one spelling, RFC 5952. */
function normal(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address
}

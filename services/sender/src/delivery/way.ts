import { createHash } from 'node:crypto'
import { isIP, SocketAddress } from 'node:net'
import type { Settings } from '@posthorn/contracts'
import type { Target } from '../transports/transport.ts'

export interface Wishes {
  account: string
  /** What the message asks for. */
  proxy: string | null
  localAddress: string | null
  accountProxy: string | null
}

type WaySettings = Pick<Settings, 'proxyEnabled' | 'proxyUrl' | 'localAddresses' | 'smtpStrategy'>

/**
 * How a message leaves this machine. The proxy: the message's, else the account's, else everybody's. The address: the message's, if it is
 * one of ours, then whichever the strategy puts first; `dedicated` gives each account the same one for as long as it exists, `random`
 * any, and otherwise the system chooses.
 */
export function wayOf(
  { account, proxy, localAddress, accountProxy }: Wishes,
  { proxyEnabled, proxyUrl, localAddresses = [], smtpStrategy }: WaySettings,
  random: () => number = Math.random,
): Pick<Target, 'proxy' | 'localAddresses' | 'requestedLocalAddress'> {
  const ours = localAddresses.filter((address) => isIP(address) !== 0)
  const wanted = localAddress === null ? undefined : ours.find((one) => isSame(one, localAddress))
  const ranked = rank(ours, { strategy: smtpStrategy, account, random })
  const through = proxy || accountProxy || (proxyEnabled === true && proxyUrl) || undefined
  return {
    localAddresses: wanted === undefined ? ranked : [wanted, ...ranked.filter((a) => a !== wanted)],
    ...(through === undefined ? {} : { proxy: through }),
    ...(localAddress === null ? {} : { requestedLocalAddress: wanted ?? localAddress }),
  }
}

function rank(
  addresses: readonly string[],
  {
    strategy,
    account,
    random,
  }: { strategy: Settings['smtpStrategy']; account: string; random: () => number },
): string[] {
  if (strategy === 'random') return sortedBy(addresses, random)
  if (strategy === 'dedicated') return sortedBy(addresses, (address) => weight(account, address))
  return []
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

function isSame(one: string, other: string): boolean {
  return isIP(other) !== 0 && normal(one) === normal(other)
}

/** An address has one spelling, RFC 5952. */
function normal(address: string): string {
  return new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address
}

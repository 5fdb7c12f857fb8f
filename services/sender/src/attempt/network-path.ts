import { isIP } from 'node:net'
import type { Settings } from '@posthorn/contracts'
import { isSameAddress, rankAddresses } from '@posthorn/net'
import type { Destination } from '../transports/transport.ts'

export interface EgressPreferences {
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
export function chooseNetworkPath(
  { account, proxy, localAddress, accountProxy }: EgressPreferences,
  { proxyEnabled, proxyUrl, localAddresses = [], smtpStrategy }: WaySettings,
  random: () => number = Math.random,
): Pick<Destination, 'proxy' | 'localAddresses' | 'requestedLocalAddress'> {
  const ours = localAddresses.filter((address) => isIP(address) !== 0)
  const wanted =
    localAddress === null ? undefined : ours.find((one) => isSameAddress(one, localAddress))
  const ranked = rankAddresses(ours, { strategy: smtpStrategy, account, random })
  const through = proxy || accountProxy || (proxyEnabled === true && proxyUrl) || undefined
  return {
    localAddresses: wanted === undefined ? ranked : [wanted, ...ranked.filter((a) => a !== wanted)],
    ...(through === undefined ? {} : { proxy: through }),
    ...(localAddress === null ? {} : { requestedLocalAddress: wanted ?? localAddress }),
  }
}

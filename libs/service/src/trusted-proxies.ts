import { addressRanges, type Env } from '@posthorn/config'

/** Whoever is on this machine, where nothing is said. */
const ownMachine = ['127.0.0.0/8', '::1']

/** Reads a list of proxies that are believed where a client comes from: addresses and CIDR ranges, separated by commas. */
export function trustedProxies(env: Env, name: string): readonly string[] {
  return addressRanges(env, name) ?? ownMachine
}

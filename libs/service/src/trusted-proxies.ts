import { isIP } from 'node:net'
import { ConfigError, type Env, optional } from '@posthorn/config'

/** Whoever is on this machine, where nothing is said. */
const ownMachine = ['127.0.0.0/8', '::1']

/** Reads a list of proxies that are believed where a client comes from: addresses and CIDR ranges, separated by commas. */
export function trustedProxies(env: Env, name: string): readonly string[] {
  const given = optional(env, name)
  if (given === undefined) return ownMachine
  const ranges = given.split(',').map((text) => text.trim())
  const wrong = ranges.find((range) => !isRange(range))
  if (wrong !== undefined)
    throw new ConfigError(name, `must be IP addresses or CIDR ranges, got "${wrong}"`)
  return ranges
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'
import { type Env, optional } from './read.ts'

/**
 * Reads an environment variable with a comma-separated list. Empty entries are dropped. Undefined
 * if the variable is not set.
 */
export function list(env: Env, name: string): string[] | undefined {
  return optional(env, name)
    ?.split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

/** Reads an environment variable with a comma-separated list of IP addresses and CIDR ranges. */
export function addressRanges(env: Env, name: string): string[] | undefined {
  const ranges = list(env, name)
  const wrong = ranges?.find((range) => !isRange(range))
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

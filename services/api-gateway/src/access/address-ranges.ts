import { isIP } from 'node:net'

interface Range {
  family: number
  bits: number
  /** First `bits` bits of the address. */
  prefix: bigint
}

/** True if `outer` contains all addresses of `inner`. Both are addresses or CIDR ranges. */
export function rangeCovers(outer: string, inner: string): boolean {
  const whole = parse(outer)
  const part = parse(inner)
  if (!whole || !part || whole.family !== part.family || part.bits < whole.bits) return false
  return part.prefix >> BigInt(part.bits - whole.bits) === whole.prefix
}

function parse(text: string): Range | undefined {
  const [address = '', suffix] = text.trim().split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return undefined
  const width = family === 4 ? 32 : 128
  const bits = suffix === undefined ? width : Number(suffix)
  if (!Number.isInteger(bits) || bits < 0 || bits > width) return undefined
  const value = family === 4 ? number(address.split('.'), 8, 10) : number(groups(address), 16, 16)
  return { family, bits, prefix: value >> BigInt(width - bits) }
}

function number(parts: string[], width: number, radix: 10 | 16): bigint {
  return parts.reduce(
    (sum, part) => (sum << BigInt(width)) + BigInt(Number.parseInt(part, radix)),
    0n,
  )
}

/** Returns the eight groups of an IPv6 address. The URL parser converts an IPv4 tail to groups. */
function groups(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]/`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

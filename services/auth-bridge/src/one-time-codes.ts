import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Bytes of a seed of one-time codes: the length of a SHA-1 hash (RFC 4226 §4, R6). */
const seedBytes = 20
/**
 * Duration of a time step of one-time codes (RFC 6238 §4). Authenticator apps support no other
 * value in general.
 */
const stepSeconds = 30
const digits = 6
/**
 * Time steps before and after the current step whose one-time codes are accepted (RFC 6238 §5.2).
 */
const tolerance = 1

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Creates a random seed for one-time codes, in base32 (RFC 4648 §6). */
export function newSeed(): string {
  return toBase32(randomBytes(seedBytes))
}

/**
 * Finds the time step of a one-time code (RFC 6238, SHA-1, six digits). Accepts the current step
 * and one step before and after it. All steps are compared, in constant time.
 */
export function findStep(seed: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const key = fromBase32(seed)
  const current = Math.floor(now / 1_000 / stepSeconds)
  let matching: number | undefined
  for (let step = current - tolerance; step <= current + tolerance; step += 1)
    if (timingSafeEqual(Buffer.from(codeOf(key, step)), Buffer.from(code))) matching = step
  return matching
}

/** One-time code of a time step (HOTP, RFC 4226 §5.3). */
function codeOf(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  // RFC 6238 §1.2: SHA-1 is the hash that all authenticator apps support.
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

function toBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet[Number.parseInt(group, 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

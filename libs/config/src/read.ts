import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import { Secret } from './secret.ts'

/** Environment variables of a process, by name, from which the configuration is read. */
export type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads an environment variable. If the variable is unset, reads the file whose path is in
 * `<name>_FILE`, as container secrets are mounted. An empty value counts as unset.
 */
export function optional(env: Env, name: string): string | undefined {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new ConfigError(`${name}_FILE`, 'the file cannot be read')
  }
}

/** Reads an environment variable that must be set. */
export function required(env: Env, name: string): string {
  const value = optional(env, name)
  if (value === undefined) throw new ConfigError(name, 'must be set')
  return value
}

export interface IntegerRange {
  fallback?: number
  min?: number
  max?: number
}

/**
 * Reads an environment variable with an integer within a range. The variable must be set if
 * `fallback` is undefined.
 */
export function integer(env: Env, name: string, range: IntegerRange = {}): number {
  const { fallback, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range
  const text = optional(env, name)
  if (text === undefined) {
    if (fallback === undefined) throw new ConfigError(name, 'must be set')
    return fallback
  }
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new ConfigError(name, `must be a whole number, got "${text}"`)
  if (value < min || value > max)
    throw new ConfigError(name, `must be between ${min} and ${max}, got ${value}`)
  return value
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type DurationUnit = keyof typeof unitMs

/**
 * Reads an environment variable with a duration: a number with a unit (`500ms`, `30s`, `10m`,
 * `3d`), or `0`. Returns milliseconds. Other numbers without a unit are rejected: a reader cannot
 * tell seconds from milliseconds.
 */
export function duration(env: Env, name: string, range: IntegerRange = {}): number {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = range
  const text = optional(env, name)
  if (text === undefined) return integer(env, name, range)
  const [, digits, unit] = /^(\d+)\s*(ms|s|m|h|d)?$/.exec(text) ?? []
  if (digits === undefined)
    throw new ConfigError(name, `must be a duration such as 30s, 10m or 3d, got "${text}"`)
  const count = Number(digits)
  if (unit === undefined && count !== 0)
    throw new ConfigError(
      name,
      `must have a unit, such as ${digits}s or ${digits}ms, got "${text}"`,
    )
  const value = count * unitMs[(unit ?? 'ms') as DurationUnit]
  if (value < min || value > max)
    throw new ConfigError(name, `must be ${rangeText(min, max)}, got "${text}"`)
  return value
}

function rangeText(minMs: number, maxMs: number): string {
  if (maxMs === Number.MAX_SAFE_INTEGER) return `at least ${durationText(minMs)}`
  return `between ${durationText(minMs)} and ${durationText(maxMs)}`
}

/**
 * Converts a duration of the configuration in milliseconds to text, in the largest unit that
 * divides the duration without remainder.
 */
function durationText(ms: number): string {
  if (ms === 0) return '0'
  const units = Object.entries(unitMs).toReversed()
  const [unit, factor] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / factor}${unit}`
}

/**
 * Reads an environment variable with a size in bytes: a plain number, or with a unit (`512kB`,
 * `50MB`, `50M`).
 */
export function byteSize(env: Env, name: string, range: IntegerRange = {}): number {
  const text = optional(env, name)
  if (text === undefined) return integer(env, name, range)
  const match = /^(\d+)\s*([kmg])?b?$/i.exec(text)
  if (!match) throw new ConfigError(name, `must be a size such as 50MB, got "${text}"`)
  const factor = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[(match[2] ?? '').toLowerCase()] ?? 1
  return integer({ [name]: String(Number(match[1]) * factor) }, name, range)
}

/**
 * Reads a boolean environment variable: `true`/`false`, `1`/`0`, `yes`/`no`, `y`/`n` or `on`/`off`.
 */
export function boolean(env: Env, name: string, fallback: boolean): boolean {
  const text = optional(env, name)?.toLowerCase()
  if (text === undefined) return fallback
  if (['true', '1', 'yes', 'y', 'on'].includes(text)) return true
  if (['false', '0', 'no', 'n', 'off'].includes(text)) return false
  throw new ConfigError(name, `must be true or false, got "${text}"`)
}

/** Reads an environment variable whose value has to be in a given list of allowed values. */
export function oneOf<T extends string>(
  env: Env,
  name: string,
  choice: { values: readonly T[]; fallback: T },
): T {
  const text = optional(env, name)
  if (text === undefined) return choice.fallback
  const value = choice.values.find((candidate) => candidate === text)
  if (value === undefined)
    throw new ConfigError(name, `must be one of ${choice.values.join(', ')}, got "${text}"`)
  return value
}

/**
 * Reads an environment variable with a URL. The URL must have one of the listed protocols
 * (`postgres:`, `https:` …) and is returned unchanged.
 */
export function url(env: Env, name: string, protocols: readonly string[]): string {
  const text = required(env, name)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (!parsed || !protocols.includes(parsed.protocol))
    throw new ConfigError(
      name,
      `must be an address starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )
  return text
}

/**
 * Minimum number of characters of a secret that protects stored data: 32 hexadecimal digits
 * represent 128 bits.
 */
export const minSecretLength = 32

/**
 * Reads an environment variable with a secret of at least `minLength` characters. The secret is
 * never logged.
 */
export function secret(env: Env, name: string, { minLength = 1 } = {}): Secret | undefined {
  const value = optional(env, name)
  if (value === undefined) return undefined
  if (value.length < minLength)
    throw new ConfigError(name, `must have at least ${minLength} characters`)
  return new Secret(value)
}

/**
 * Reads an environment variable with a JSON object. Error messages never quote the value, which may
 * contain passwords.
 */
export function json(env: Env, name: string): Record<string, unknown> | undefined {
  const text = optional(env, name)
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ConfigError(name, 'must be a JSON object')
  return value as Record<string, unknown>
}

/**
 * Parses the JSON text of an environment variable. Returns undefined for invalid JSON, because the
 * parser's error would quote the text.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

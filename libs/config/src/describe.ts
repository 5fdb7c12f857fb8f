import { Secret } from './secret.ts'

/**
 * Converts the configuration of a process for its log. Secrets become the text `set`, and
 * credentials in URLs are removed.
 */
export function describeConfig(config: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, describe(value)]))
}

function describe(value: unknown): unknown {
  if (value === undefined) return 'not set'
  if (value instanceof Secret) return 'set'
  if (typeof value === 'string') return value.replace(/\/\/[^/@]*@/, '//***@')
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return describeConfig(value)
  return value
}

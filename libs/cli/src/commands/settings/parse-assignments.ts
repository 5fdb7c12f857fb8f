import { UsageError } from '../../exit-codes.ts'
import { hasSecret } from './secret-settings.ts'

/**
 * Parses the arguments `key=value` of `settings set`. A value that is JSON is used as such, all
 * others are texts.
 *
 * @throws UsageError for a secret, because other users of the machine can see arguments
 */
export function parseAssignments(args: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    const [, key, text = ''] = /^(\w+)=(.*)$/s.exec(arg) ?? []
    if (key === undefined) throw new UsageError('expected key=value, such as webhooksEnabled=true')
    const value = parseValue(text)
    if (hasSecret(key, value))
      throw new UsageError(
        `${key} has a secret, and arguments are visible to other users: use \`posthorn settings set-secret ${key}\``,
      )
    if (Object.hasOwn(values, key)) throw new UsageError(`${key} is set twice`)
    values[key] = value
  }
  return values
}

/** Value of a setting from its text: parsed as JSON, or else the text itself. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

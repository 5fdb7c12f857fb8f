import { CommandError } from '../exit-codes.ts'
import { type InputContext, readInput } from './input.ts'

/**
 * Reads a YAML or JSON file, or standard input if the path is `-`. JSON is YAML, so a file has one
 * parser whatever its name is.
 */
export async function readDocument(path: string, context: InputContext): Promise<unknown> {
  const text = await readInput(path, context)
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error) throw new CommandError(`${path} is no YAML or JSON: ${error.message.split('\n')[0]}`)
  // Aliases in a YAML file could make a small file very large.
  return document.toJS({ maxAliasCount: 100 })
}

/** True for an object with members, such as a mapping of YAML. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

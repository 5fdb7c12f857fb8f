import { readFile } from 'node:fs/promises'
import { CommandError } from '../exit-codes.ts'

/**
 * Reads a YAML or JSON file, or standard input if the path is `-`. JSON is YAML, so a file has one
 * parser whatever its name is.
 */
export async function readDocument(
  path: string,
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<unknown> {
  const text = path === '-' ? await readAll(stdin) : await readText(path)
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error) throw new CommandError(`${path} is no YAML or JSON: ${error.message.split('\n')[0]}`)
  // Aliases could make a small file very large.
  return document.toJS({ maxAliasCount: 100 })
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${String((error as Error).message)}`)
  })
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** True for an object with members, such as a mapping of YAML. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

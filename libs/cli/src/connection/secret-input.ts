import { readFile } from 'node:fs/promises'
import { CommandError } from '../exit-codes.ts'

/**
 * Reads a secret from a file, or from standard input if the path is `-`. A line break at the end is
 * not part of the secret.
 */
export async function readSecretFile(
  path: string,
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<string> {
  let text = ''
  if (path === '-') for await (const chunk of stdin) text += String(chunk)
  else
    text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new CommandError(`${path} cannot be read: ${String((error as Error).message)}`)
    })
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`${path} is empty: write the secret into the file`)
  return secret
}

import { CommandError } from '../exit-codes.ts'
import { type InputContext, readInput } from '../io/input.ts'

/**
 * Reads a secret from a file, or from standard input if the path is `-`. A line break at the end is
 * not part of the secret.
 */
export async function readSecretFile(path: string, context: InputContext): Promise<string> {
  const secret = (await readInput(path, context)).replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`${path} is empty: write the secret into the file`)
  return secret
}

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../process/error-code.ts'

/**
 * What was made up once for a folder (ports, passwords) and must be the same at every start. Readable by its owner alone.
 *
 * Keys that `fresh` has and the file lacks are added; those of `wanted` replace what the file says.
 */
export async function loadOrCreateState<T extends object>(
  file: string,
  fresh: () => Promise<T>,
  wanted: Partial<T> = {},
): Promise<T> {
  const known = await readState<T>(file)
  const made = { ...(await fresh()), ...known, ...wanted }
  await writeState(file, made)
  return made
}

export async function readState<T extends object>(file: string): Promise<Partial<T>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<T>
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw error
  }
}

/** Written whole or not at all. */
export async function writeState(file: string, state: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = join(dirname(file), `.${randomBytes(6).toString('hex')}.tmp`)
  await writeFile(draft, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

export function randomPassword(): string {
  return randomBytes(24).toString('hex')
}

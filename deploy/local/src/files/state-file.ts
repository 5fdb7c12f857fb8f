import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../process/error-code.ts'

/**
 * Returns the stored state of a server (ports, passwords), so that the state is equal at every
 * start. Only the owner can read the state file. Keys that are missing in the file are added from
 * `fresh`. Keys of `wanted` replace stored keys.
 */
export async function loadOrCreateState<T extends object>(
  file: string,
  fresh: () => Promise<T>,
  wanted: Partial<T> = {},
): Promise<T> {
  const stored = await readState<T>(file)
  const made = { ...(await fresh()), ...stored, ...wanted }
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

/** Writes the state of a server (ports, passwords) to a file in one atomic step. */
export async function writeState(file: string, state: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = join(dirname(file), `.${randomBytes(6).toString('hex')}.tmp`)
  await writeFile(draft, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

export function randomPassword(): string {
  return randomBytes(24).toString('hex')
}

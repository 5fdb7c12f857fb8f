import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from '../exit-codes.ts'
import type { Terminal } from '../io/terminal.ts'

/** Server URL and access token that `posthorn login` stores. */
export interface StoredLogin {
  url: string
  token: string
}

/**
 * Path of the configuration file: `POSTHORN_CONFIG`, or below the folder of the XDG specification.
 */
export function configPath(env: Terminal['env']): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  return env['POSTHORN_CONFIG'] || join(folder, 'posthorn', 'config.json')
}

/** Login that `posthorn login` stored. Undefined if no login is stored. */
export async function readLogin(path: string): Promise<StoredLogin | undefined> {
  let text
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw failure(path, 'read', error)
  }
  const login = parse(text)
  if (typeof login?.url !== 'string' || typeof login.token !== 'string')
    throw new CommandError(`${path} is not valid: run \`posthorn login\` again`)
  return { url: login.url, token: login.token }
}

/**
 * Stores the login of `posthorn login`: server URL and access token. Only the user can read the
 * file (mode 0600), from its creation on. The file is replaced as a whole, so that a crash leaves
 * the old or the new login.
 */
export async function writeLogin(path: string, login: StoredLogin): Promise<void> {
  const temporary = `${path}.${process.pid}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rm(temporary, { force: true })
    await writeFile(temporary, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await chmod(temporary, 0o600)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw failure(path, 'written', error)
  }
}

/** True if other users of the machine can read the login that `posthorn login` stored. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  // Another run of the program may have deleted the file of the login.
  const { mode } = await stat(path).catch(() => ({ mode: 0 }))
  return process.platform !== 'win32' && (mode & 0o077) !== 0
}

/** Removes the login that `posthorn login` stored. False if no login is stored. */
export async function removeLogin(path: string): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw failure(path, 'removed', error)
  }
}

/** Error about the file in which `posthorn login` stores the login, with the remedy. */
function failure(path: string, verb: string, error: unknown): CommandError {
  return new CommandError(
    `${path} cannot be ${verb}: ${String((error as Error).message)}. Set POSTHORN_CONFIG to another file.`,
  )
}

function parse(text: string): Partial<StoredLogin> | null {
  try {
    return JSON.parse(text) as Partial<StoredLogin> | null
  } catch {
    return null
  }
}

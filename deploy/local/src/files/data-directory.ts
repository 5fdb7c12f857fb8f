import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../process/error-code.ts'
import { writeState } from './state-file.ts'

/** The user that servers run as when we are root: Postgres refuses root, and mail should not be written by it. */
export const unprivilegedUser = { uid: 65_534, gid: 65_534 } as const

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Whether `nobody` can read and enter what we, as root, can: false below a folder like /root. */
export function isReadableUnprivileged(path: string): boolean {
  const args = ['-c', 'test -r "$1" && test -x "$1"', 'sh', path]
  return spawnSync('sh', args, { ...unprivilegedUser, cwd: '/' }).status === 0
}

export interface DataDirectory {
  dir: string
  /** What to start the server with: empty unless we are root. */
  owner: { uid?: number; gid?: number }
}

/**
 * A folder for a server's data: `dir` itself, or, where we are root and the server's user could not get there, one under the
 * system's folder for temporary files, noted in `dir`/place.json. Belongs to that user.
 */
export async function createDataDirectory(dir: string): Promise<DataDirectory> {
  await mkdir(dir, { recursive: true })
  if (!isRoot()) return { dir, owner: {} }
  const place = isReadableUnprivileged(dir) ? dir : await createFallbackDirectory(dir)
  await writeState(join(dir, 'place.json'), { place })
  return { dir: place, owner: unprivilegedUser }
}

async function createFallbackDirectory(dir: string): Promise<string> {
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return createOwnDirectory(join(tmpdir(), `posthorn-${name}`))
}

/** A folder for sockets: `dir` itself, or one of ours with a shorter name. Paths of sockets are limited to 107 bytes (unix(7)), folders are not. */
export async function socketDirectory(dir: string): Promise<string> {
  return dir.length < 80 ? dir : createFallbackDirectory(dir)
}

/** A folder of ours in a place where anybody may make folders: refused when somebody else did. */
export async function createOwnDirectory(path: string): Promise<string> {
  await mkdir(path, { mode: 0o755 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  const { uid } = await lstat(path)
  if (uid !== process.getuid?.()) throw new Error(`${path} belongs to another user`)
  return path
}

/** A folder that the server's user may write to. */
export async function createServerDirectory(
  path: string,
  owner: DataDirectory['owner'],
): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (owner.uid !== undefined) await chown(path, owner.uid, owner.gid ?? owner.uid)
  return path
}

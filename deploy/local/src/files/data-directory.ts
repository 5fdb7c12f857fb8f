import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../process/error-code.ts'
import { writeState } from './state-file.ts'

/**
 * User id and group id under which Postgres and the mail servers run if this process runs as root.
 * Postgres refuses to run as root, and mail files should not belong to root.
 */
export const unprivilegedUser = { uid: 65_534, gid: 65_534 } as const

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * True if the unprivileged user of Postgres and the mail servers can read and enter the directory
 * `path`. False for example below /root.
 */
export function isReadableUnprivileged(path: string): boolean {
  const args = ['-c', 'test -r "$1" && test -x "$1"', 'sh', path]
  return spawnSync('sh', args, { ...unprivilegedUser, cwd: '/' }).status === 0
}

export interface DataDirectory {
  dir: string
  /**
   * User id and group id for the process of a local server such as Postgres. Empty unless this
   * process runs as root.
   */
  owner: { uid?: number; gid?: number }
}

/**
 * Creates the data directory of a server and makes the server's user its owner. Usually `dir` is
 * the data directory. If this process runs as root and the server's user cannot enter `dir`, the
 * data directory is created below the temporary directory instead. The file `dir`/place.json
 * records the path.
 */
export async function createDataDirectory(dir: string): Promise<DataDirectory> {
  await mkdir(dir, { recursive: true })
  if (!isRoot()) return { dir, owner: {} }
  const chosen = isReadableUnprivileged(dir) ? dir : await createFallbackDirectory(dir)
  await writeState(join(dir, 'place.json'), { place: chosen })
  return { dir: chosen, owner: unprivilegedUser }
}

async function createFallbackDirectory(dir: string): Promise<string> {
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return createOwnDirectory(join(tmpdir(), `posthorn-${name}`))
}

/**
 * Returns a directory for the Unix sockets of a local server: `dir`, or another directory if the
 * path of `dir` is too long. Paths of sockets have at most 107 bytes (unix(7)).
 */
export async function socketDirectory(dir: string): Promise<string> {
  return dir.length < 80 ? dir : createFallbackDirectory(dir)
}

/**
 * Creates a directory that belongs to the user of this process, for example below /tmp. Rejects an
 * existing directory of another user.
 */
export async function createOwnDirectory(path: string): Promise<string> {
  await mkdir(path, { mode: 0o755 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  const { uid } = await lstat(path)
  if (uid !== process.getuid?.())
    throw new Error(`${path} belongs to another user, remove it or set TMPDIR`)
  return path
}

/**
 * Creates a directory and gives it to the user under which a local server such as Postgres runs, so
 * that the server may write files there.
 */
export async function createServerDirectory(
  path: string,
  owner: DataDirectory['owner'],
): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (owner.uid !== undefined) await chown(path, owner.uid, owner.gid ?? owner.uid)
  return path
}

export interface OwnerNames {
  user: string
  group: string
}

/**
 * Names of the user and the group that own the data directory of a local server. Needed because
 * Dovecot accepts only names, not numbers.
 */
export async function ownerNames({ owner }: DataDirectory): Promise<OwnerNames> {
  const { uid, gid } = userInfo()
  return {
    user: await nameOf('/etc/passwd', owner.uid ?? uid),
    group: await nameOf('/etc/group', owner.gid ?? gid),
  }
}

async function nameOf(file: string, id: number): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'))
  return lines.find(([, , number]) => number === String(id))?.[0] ?? String(id)
}

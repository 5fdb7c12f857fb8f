import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { chmod, chown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DebianPackages, fetchDebianPackages } from '../files/debian-packages.ts'
import { localDirectory } from '../paths.ts'
import { createServerCertificate } from '../files/certificate.ts'
import { isRoot } from '../files/data-directory.ts'

const run = promisify(execFile)

/**
 * User ids by user name, for the users of an outgoing mail server. Each user has a group with its
 * own name and id.
 */
export type Users = Readonly<Record<string, number>>

export interface ChrootOptions {
  /**
   * Root directory of the chroot environment of an outgoing mail server. The file system of the
   * directory must allow device files.
   */
  root: string
  users: Users
  /** Group ids by group name, for groups of an outgoing mail server that belong to no user. */
  groups?: Users
}

let supported: boolean | undefined

/**
 * True if this machine supports chroot environments. Many containers forbid root to create devices
 * or to change the root directory.
 */
export function canChroot(): boolean {
  return (supported ??= isRoot() && probeChroot())
}

function probeChroot(): boolean {
  const script = `set -e
    folder=$(mktemp -d "$1/probe.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    mknod -m 666 "$folder/null" c 1 3
    echo > "$folder/null"
    /usr/sbin/chroot / true`
  mkdirSync(localDirectory, { recursive: true })
  return spawnSync('sh', ['-c', script, 'sh', localDirectory], { stdio: 'ignore' }).status === 0
}

/**
 * Downloads Debian packages with all dependencies, including the C library, for a server whose
 * users and paths are compiled in. The server runs in a chroot environment and neither sees nor
 * changes files and users of this machine.
 * @throws Error that lists the alternatives if chroot or the download fails.
 */
export async function fetchChrootPackages(
  name: string,
  packages: Omit<DebianPackages, 'dependencies'>,
): Promise<string> {
  const remedy = `set TEST_${name.toUpperCase()}=off to skip its tests`
  if (!canChroot())
    throw new Error(
      `${name} not available: run as root where chroot and mknod are permitted, or ${remedy}`,
    )
  try {
    return await fetchDebianPackages({ ...packages, dependencies: /^(lib.*|dash|zlib1g)$/ })
  } catch (cause) {
    throw new Error(
      `${name} not available: its packages could not be downloaded. Allow apt-get and a Debian mirror, or ${remedy}`,
      { cause },
    )
  }
}

/**
 * Creates the root directory of a server's chroot environment unless it exists. The directory
 * contains hard links to the packages' files, user files, two devices and a certificate
 * (`etc/tls.crt`, `etc/tls.key`).
 */
export async function createChroot(
  packages: string,
  { root, users, groups = {} }: ChrootOptions,
): Promise<void> {
  if (existsSync(root)) return
  const draft = `${root}.draft`
  await rm(draft, { recursive: true, force: true })
  // Files of the Debian packages are hard links in the chroot environment if the file system
  // supports hard links. Sharing the files is safe, because no process writes below usr/.
  await run('cp', ['-al', packages, draft]).catch(async () => {
    await rm(draft, { recursive: true, force: true })
    await run('cp', ['-a', packages, draft])
  })
  await rm(join(draft, 'etc'), { recursive: true, force: true })
  for (const folder of [
    'dev',
    'etc',
    'run',
    'tmp',
    'usr/bin',
    'usr/sbin',
    'usr/lib',
    'usr/lib64',
    'var/log',
  ])
    await mkdir(join(draft, folder), { recursive: true })
  await chmod(join(draft, 'tmp'), 0o1777)
  // Directories and symbolic links that Debian's package base-files contains.
  for (const folder of ['bin', 'sbin', 'lib', 'lib64'])
    if (!existsSync(join(draft, folder))) await symlink(`usr/${folder}`, join(draft, folder))
  if (!existsSync(join(draft, 'var/run'))) await symlink('../run', join(draft, 'var/run'))
  await run('mknod', ['-m', '666', join(draft, 'dev/null'), 'c', '1', '3'])
  await run('mknod', ['-m', '666', join(draft, 'dev/urandom'), 'c', '1', '9'])
  await writeUsers(join(draft, 'etc'), users, groups)
  await createServerCertificate(join(draft, 'etc'))
  await rename(draft, root)
}

/** Creates directories that belong to a user in the root directory of a chroot environment. */
export async function createOwnedDirectories(
  root: string,
  owner: number,
  folders: readonly string[],
): Promise<void> {
  for (const folder of folders) {
    await mkdir(join(root, folder), { recursive: true })
    await chown(join(root, folder), owner, owner)
  }
}

/**
 * Returns the command that runs a program inside the root directory of a chroot environment. The
 * process that the command starts becomes the program itself.
 */
export function chrootCommand(root: string, program: string, args: readonly string[]) {
  return { command: '/usr/sbin/chroot', args: [root, program, ...args], cwd: root }
}

async function writeUsers(etc: string, users: Users, groups: Users): Promise<void> {
  const all = { root: 0, ...users, nobody: 65_534 }
  const passwd = Object.entries(all).map(
    ([name, id]) => `${name}:x:${id}:${id}::/var/empty:/bin/false\n`,
  )
  const group = Object.entries({ ...all, ...groups, nogroup: 65_534 }).map(
    ([name, id]) => `${name}:x:${id}:\n`,
  )
  await writeFile(join(etc, 'passwd'), passwd.join(''))
  await writeFile(join(etc, 'group'), group.join(''))
  await writeFile(join(etc, 'nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files\n')
  await writeFile(join(etc, 'hosts'), '127.0.0.1 localhost mail.test\n')
}

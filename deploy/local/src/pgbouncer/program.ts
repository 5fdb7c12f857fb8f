import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '../files/debian-packages.ts'

export interface PgbouncerProgram {
  command: string
  args: string[]
}

const libraries =
  'libc6|libevent-(core-)?2\\.1-7t64|libcares2|libssl3t64|libpam0g|libaudit1|libcap-ng0|libldap2|libsasl2-2|libsystemd0|libcap2|libgcrypt20|libgpg-error0|liblz4-1|liblzma5|libzstd1|zlib1g|libcrypt1'
const loader =
  process.arch === 'arm64' ? 'usr/lib/ld-linux-aarch64.so.1' : 'usr/lib64/ld-linux-x86-64.so.2'

/**
 * Returns pgbouncer 1.24 from Debian packages, downloaded into the directory `cache`. The program
 * needs a newer C library than some machines have, so the loader of the downloaded C library starts
 * it. An installed pgbouncer is not used: earlier versions do not support prepared statements.
 *
 * @throws Error that lists the alternatives if the download fails
 */
export async function findPgbouncer(cache: string): Promise<PgbouncerProgram> {
  try {
    const root = await fetchDebianPackages({
      dir: join(cache, 'pgbouncer'),
      suite: 'trixie',
      packages: ['pgbouncer'],
      dependencies: new RegExp(`^(${libraries})$`),
    })
    const folders = [`usr/lib/${triplet}`, `lib/${triplet}`].map((folder) => join(root, folder))
    return {
      command: join(root, loader),
      args: ['--library-path', folders.join(':'), join(root, 'usr/sbin/pgbouncer')],
    }
  } catch (cause) {
    throw new Error(
      'pgbouncer not available: its packages could not be downloaded. Allow apt-get and a Debian mirror, or set TEST_PGBOUNCER=off to skip its tests',
      { cause },
    )
  }
}

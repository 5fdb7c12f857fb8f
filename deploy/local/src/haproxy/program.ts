import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '../files/debian-packages.ts'

export interface HaproxyProgram {
  command: string
  args: string[]
}

const libraries =
  'libc6|libcrypt1|liblua5\\.4-0|libpcre2-8-0|libssl3t64|libsystemd0|libcap2|libgcrypt20|libgpg-error0|liblz4-1|liblzma5|libzstd1|zlib1g|libjemalloc2|libopentracing-c-wrapper0t64|libopentracing1|libstdc\\+\\+6|libgcc-s1'
const loader =
  process.arch === 'arm64' ? 'usr/lib/ld-linux-aarch64.so.1' : 'usr/lib64/ld-linux-x86-64.so.2'

/**
 * Returns haproxy 3.0 from Debian packages, downloaded into the directory `cache`. The program
 * needs a newer C library than some machines have. The dynamic loader of the downloaded C library
 * therefore starts the program.
 *
 * @throws Error that lists the alternatives if the download fails
 */
export async function findHaproxy(cache: string): Promise<HaproxyProgram> {
  try {
    const root = await fetchDebianPackages({
      dir: join(cache, 'haproxy'),
      suite: 'trixie',
      packages: ['haproxy'],
      dependencies: new RegExp(`^(${libraries})$`),
    })
    const folders = [`usr/lib/${triplet}`, `lib/${triplet}`].map((folder) => join(root, folder))
    return {
      command: join(root, loader),
      args: ['--library-path', folders.join(':'), join(root, 'usr/sbin/haproxy')],
    }
  } catch (cause) {
    throw new Error(
      'haproxy not available: its packages could not be downloaded. Allow apt-get and a Debian mirror',
      { cause },
    )
  }
}

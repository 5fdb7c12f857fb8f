import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '../files/debian-packages.ts'

export interface RedisProgram {
  command: string
  args: string[]
}

const libraries =
  'redis-tools|libc6|libatomic1|libjemalloc2|liblzf1|libssl3t64|libsystemd0|libcap2|libgcrypt20|libgpg-error0|liblz4-1|liblzma5|libzstd1|zlib1g|libstdc\\+\\+6|libgcc-s1'
const loader =
  process.arch === 'arm64' ? 'usr/lib/ld-linux-aarch64.so.1' : 'usr/lib64/ld-linux-x86-64.so.2'

/**
 * Returns Redis 8.0 from Debian packages, downloaded into the directory `cache`. The program needs
 * a newer C library than some machines have. The dynamic loader of the downloaded C library
 * therefore starts the program.
 *
 * @throws Error with the remedy if the download fails
 */
export async function findRedis(cache: string): Promise<RedisProgram> {
  try {
    const root = await fetchDebianPackages({
      dir: join(cache, 'redis'),
      suite: 'trixie',
      packages: ['redis-server'],
      dependencies: new RegExp(`^(${libraries})$`),
    })
    const folders = [`usr/lib/${triplet}`, `lib/${triplet}`].map((folder) => join(root, folder))
    return {
      command: join(root, loader),
      args: ['--library-path', folders.join(':'), join(root, 'usr/bin/redis-server')],
    }
  } catch (cause) {
    throw new Error(
      'Redis not available: its packages could not be downloaded. Allow apt-get and a Debian mirror',
      { cause },
    )
  }
}

import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '../files/debian-packages.ts'
import { isReadableUnprivileged, createOwnDirectory, isRoot } from '../files/data-directory.ts'

export interface CyrusProgram {
  /** Directory of the programs of Cyrus: `master`, `imapd`, `lmtpd` and more. */
  bin: string
  env: Record<string, string>
}

const libraries =
  'cyrus-common|libcom-err2|libffi8|libgcc-s1|libgmp10|libgnutls30|libgssapi-krb5-2|libhogweed6|libical3|libicu72|libidn2-0|libjansson4|libk5crypto3|libkeyutils1|libkrb5-3|libkrb5support0|libldap-2\\.5-0|liblzma5|libnettle8|libnsl2|libp11-kit0|libpcre3|libpq5|libsasl2-2|libsqlite3-0|libssl3|libstdc\\+\\+6|libtasn1-6|libtirpc3|libunistring2|libuuid1|libwrap0|libxapian30|libxml2|zlib1g'

/**
 * Returns Cyrus imapd 3.6 from Debian packages, downloaded into the directory `cache` (6 s, 72 MB).
 * An installed Cyrus is not used: its paths are compiled in, and its Debian package conflicts with
 * Dovecot's package.
 * @throws Error that lists the alternatives if the download fails.
 */
export async function findCyrus(cache: string): Promise<CyrusProgram> {
  try {
    const root = await fetchDebianPackages({
      dir: join(await reachable(cache), 'cyrus'),
      suite: 'bookworm',
      packages: ['cyrus-imapd', 'cyrus-common', 'libsasl2-modules'],
      dependencies: new RegExp(`^(${libraries})$`),
    })
    const folders = [`usr/lib/${triplet}`, `lib/${triplet}`].map((folder) => join(root, folder))
    return {
      bin: join(root, 'usr/lib/cyrus/bin'),
      env: {
        PATH: '/usr/bin:/bin',
        LD_LIBRARY_PATH: folders.join(':'),
        SASL_PATH: join(root, 'usr/lib', triplet, 'sasl2'),
      },
    }
  } catch (cause) {
    throw new Error(
      'Cyrus not available: its packages could not be downloaded. Allow apt-get and a Debian mirror, or set TEST_CYRUS=off to skip its tests',
      { cause },
    )
  }
}

/**
 * Returns a cache directory that an unprivileged user can read. If this process runs as root, all
 * programs of Cyrus run as an unprivileged user.
 */
async function reachable(cache: string): Promise<string> {
  await mkdir(cache, { recursive: true })
  if (!isRoot() || isReadableUnprivileged(cache)) return cache
  return createOwnDirectory(join(tmpdir(), 'posthorn-programs'))
}

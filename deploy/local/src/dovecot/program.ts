import { existsSync } from 'node:fs'
import { open, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchDebianPackages, triplet } from '../files/debian-packages.ts'

export interface DovecotProgram {
  /** Directory of Dovecot's extracted Debian packages. Absent if an installed Dovecot is used. */
  root?: string
  env: Record<string, string>
}

const libraries =
  'dovecot-core|libapparmor1|libbz2-1.0|libcap2|libcap-ng0|libaudit1|libcrypt1|libpam0g|liblz4-1|liblzma5|libsodium23|libssl3|libzstd1|zlib1g|liblua5.4-0|libtirpc3|libwrap0|libunwind8|libsystemd0|libgcrypt20|libgpg-error0'
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Returns the installed Dovecot 2.3. Without an installed Dovecot 2.3, returns Dovecot from Debian
 * packages, downloaded into the directory `cache` (8 s, 20 MB).
 *
 * @throws Error that lists the alternatives if Dovecot is not installed and the download fails
 */
export async function findDovecot(cache: string): Promise<DovecotProgram> {
  const needed = [
    '/usr/sbin/dovecot',
    '/usr/lib/dovecot/imap',
    '/usr/lib/dovecot/lmtp',
    '/usr/lib/dovecot/submission',
  ]
  if (needed.every((path) => existsSync(path))) return { env: { PATH: systemPath } }
  try {
    const root = await fetchDebianPackages({
      dir: join(cache, 'dovecot'),
      suite: 'bookworm', // Dovecot 2.4, in trixie and later, has another configuration syntax.
      packages: ['dovecot-core', 'dovecot-imapd', 'dovecot-lmtpd', 'dovecot-submissiond'],
      dependencies: new RegExp(`^(${libraries})$`),
    })
    const folders = [
      'usr/lib/dovecot',
      'usr/lib/dovecot/modules/old-stats',
      `usr/lib/${triplet}`,
      `lib/${triplet}`,
    ].map((folder) => join(root, folder))
    await relocate(join(root, 'usr/lib/dovecot/libdovecot.so.0'))
    return {
      root,
      env: { PATH: systemPath, LD_LIBRARY_PATH: folders.join(':') },
    }
  } catch (cause) {
    throw new Error(
      'Dovecot not available: install dovecot-imapd, dovecot-lmtpd and dovecot-submissiond, allow a download (needs apt-get and a Debian mirror), or set POSTHORN_DOVECOT to a mail server',
      { cause },
    )
  }
}

const modules = '/usr/lib/dovecot/modules'

/**
 * Makes the path of the TLS module, which is compiled into Dovecot's library, relative to
 * `base_dir`. All processes of Dovecot start in `base_dir`, where `config.ts` creates a link to the
 * modules.
 */
async function relocate(library: string): Promise<void> {
  const file = await realpath(library)
  const at = (await readFile(file)).indexOf(`\0${modules}\0`)
  if (at < 0) return // An earlier start has replaced the path.
  const handle = await open(file, 'r+')
  try {
    await handle.write(
      Buffer.from('modules'.padEnd(modules.length, '\0')),
      0,
      modules.length,
      at + 1,
    )
  } finally {
    await handle.close()
  }
}

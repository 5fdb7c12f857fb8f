import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../scripts/fetch-debian.sh')

/** Name of this machine's CPU architecture in library paths of Debian. */
export const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'

export interface DebianPackages {
  /**
   * Directory for the extracted Debian packages. If the directory has the packages already, nothing
   * is downloaded.
   */
  dir: string
  suite: 'bookworm' | 'trixie'
  packages: readonly string[]
  /**
   * Pattern for names of dependencies. Matching dependencies of the packages are downloaded as
   * well.
   */
  dependencies: RegExp
}

/**
 * Downloads Debian packages and extracts them into a directory, without root and without changing
 * the system. Returns the directory of the extracted files.
 */
export async function fetchDebianPackages({
  dir,
  suite,
  packages,
  dependencies,
}: DebianPackages): Promise<string> {
  await promisify(execFile)('bash', [script, dir, suite, dependencies.source, ...packages], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return join(dir, 'root')
}

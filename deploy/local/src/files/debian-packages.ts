import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../scripts/fetch-debian.sh')

export interface DebianPackages {
  /** Kept: later calls find it whole and return at once. */
  dir: string
  suite: 'bookworm' | 'trixie'
  packages: readonly string[]
  /** Of what they depend on, what to fetch as well. */
  dependencies: RegExp
}

/** Fetches packages of Debian and extracts them into a folder, without root and without touching the system. Returns that folder. */
export async function fetchDebianPackages({
  dir,
  suite,
  packages,
  dependencies: also,
}: DebianPackages): Promise<string> {
  await promisify(execFile)('bash', [script, dir, suite, also.source, ...packages], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return join(dir, 'root')
}

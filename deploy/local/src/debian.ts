import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../scripts/fetch-debian.sh')

export interface Packages {
  /** Kept: later calls find it whole and return at once. */
  dir: string
  suite: 'bookworm' | 'trixie'
  packages: readonly string[]
  /** Of what they depend on, what to fetch as well. */
  also: RegExp
}

/** Fetches packages of Debian and extracts them into a folder, without root and without touching the system. Returns that folder. */
export async function fetchDebian({ dir, suite, packages, also }: Packages): Promise<string> {
  await promisify(execFile)('bash', [script, dir, suite, also.source, ...packages], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return join(dir, 'root')
}

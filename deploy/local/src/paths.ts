import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** Root directory of this Git checkout. */
export const checkout = realpathSync(join(import.meta.dirname, '../../..'))

/**
 * Directory for everything that this Git checkout starts and downloads. Checkouts do not affect
 * each other.
 */
export const localDirectory = join(checkout, '.local')

/**
 * Directory for downloaded packages: the value of POSTHORN_CACHE, which several checkouts may
 * share, or else `.local`.
 */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['POSTHORN_CACHE'] || localDirectory
}

/**
 * Paths of the files that `make up`, which starts a local system, writes for `make down` and for
 * users.
 */
export const upFiles = {
  record: join(localDirectory, 'run/system'),
  lock: join(localDirectory, 'run/lock'),
  env: join(localDirectory, 'posthorn.env'),
} as const

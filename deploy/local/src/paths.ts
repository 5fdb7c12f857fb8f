import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** Root directory of this checkout. */
export const checkout = realpathSync(join(import.meta.dirname, '../../..'))

/**
 * Directory of everything this checkout starts and downloads. Checkouts are independent of each
 * other.
 */
export const localDirectory = join(checkout, '.local')

/**
 * Directory of downloaded packages: POSTHORN_CACHE, which several checkouts may share, else
 * `.local`.
 */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['POSTHORN_CACHE'] || localDirectory
}

/** Files that `make up` writes for `make down` and for users. */
export const upFiles = {
  record: join(localDirectory, 'run/system'),
  lock: join(localDirectory, 'run/lock'),
  env: join(localDirectory, 'posthorn.env'),
} as const

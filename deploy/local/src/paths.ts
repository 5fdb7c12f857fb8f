import { realpathSync } from 'node:fs'
import { join } from 'node:path'

/** The folder this copy of Posthorn lies in. */
export const checkout = realpathSync(join(import.meta.dirname, '../../..'))

/** What this copy starts and fetches is kept here: two copies can run side by side. */
export const localDirectory = join(checkout, '.local')

/** Where fetched packages are kept: POSTHORN_CACHE, for machines with several copies, else this copy's own. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['POSTHORN_CACHE'] || localDirectory
}

/** What `make up` leaves for `make down` and for people. */
export const upFiles = {
  record: join(localDirectory, 'run/system'),
  lock: join(localDirectory, 'run/lock'),
  env: join(localDirectory, 'posthorn.env'),
} as const

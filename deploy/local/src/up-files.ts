import { join } from 'node:path'
import { localFolder } from './paths.ts'

/** What `make up` leaves for `make down` and for people. */
export const upFiles = {
  record: join(localFolder, 'run/system'),
  lock: join(localFolder, 'run/lock'),
  env: join(localFolder, 'posthorn.env'),
} as const

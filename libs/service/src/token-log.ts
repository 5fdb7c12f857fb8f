import { type Db, keepTokenLog, type SettingsCache, type TokenLog } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'

/** The audit log of tokens that a door keeps; what does not reach Postgres is told in the door's own log. */
export function openTokenLog(db: Db, settings: SettingsCache, log: Logger): TokenLog {
  return keepTokenLog(db, settings, {
    onError: (err) => log.warn({ err }, 'logs of tokens wait to be written'),
    onLost: (entries) => log.warn({ entries }, 'entries of logs of tokens were not kept'),
  })
}

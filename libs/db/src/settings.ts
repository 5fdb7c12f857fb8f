import { type Settings, settingDefaults } from '@posthorn/contracts'
import type { Db } from './connect.ts'

/** The settings as stored, defaults filled in. Secret ones are not here: ask auth-bridge. */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['key', 'value']).execute()
  return {
    ...settingDefaults,
    ...Object.fromEntries(rows.map(({ key, value }) => [key, value])),
  } as Settings
}

/** Settings kept in memory for a few seconds. `invalidate` on a broadcast; without one they expire by themselves. */
export interface SettingsCache {
  get(): Promise<Settings>
  invalidate(): void
}

export function cacheSettings(db: Db, { ttlMs = 5_000 }: { ttlMs?: number } = {}): SettingsCache {
  let known: { settings: Promise<Settings>; until: number } | undefined
  return {
    get() {
      if (known && known.until > Date.now()) return known.settings
      const entry = { settings: readSettings(db), until: Date.now() + ttlMs }
      entry.settings.catch(() => {
        if (known === entry) known = undefined
      })
      known = entry
      return entry.settings
    },
    invalidate() {
      known = undefined
    },
  }
}

import { type Settings, settingDefaults } from '@posthorn/contracts/settings/settings'
import { TtlCache } from '@posthorn/flow'
import { sql } from 'kysely'
import type { Db } from './connect.ts'

/**
 * Reads the settings of the installation and adds defaults. Secret settings are left out, because
 * only auth-bridge can read them.
 */
export async function readSettings(db: Db): Promise<Settings> {
  const rows = await db.selectFrom('settings').select(['key', 'value']).execute()
  return {
    ...settingDefaults,
    ...Object.fromEntries(rows.map(({ key, value }) => [key, value])),
  } as Settings
}

/**
 * Cache of the installation's settings. Cached settings expire after `ttlMs`. `invalidate` removes
 * them earlier.
 */
export interface SettingsCache {
  get(): Promise<Settings>
  invalidate(): void
}

export function cacheSettings(db: Db, { ttlMs = 5_000 }: { ttlMs?: number } = {}): SettingsCache {
  const cache = new TtlCache<'settings', Settings>({ ttlMs, max: 1 })
  return {
    get: () => cache.load('settings', () => readSettings(db)),
    invalidate: () => cache.clear(),
  }
}

/**
 * Returns the time of the last change of a sealed (encrypted) setting as text, with microseconds.
 * Undefined if the setting is not set.
 */
export async function findSealedSettingRevision(db: Db, key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select(sql<string>`updated_at::text`.as('revision'))
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.revision
}

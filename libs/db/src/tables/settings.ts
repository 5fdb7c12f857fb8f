import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Settings that are no secrets. Written by api-gateway. */
export interface SettingsTable {
  key: string
  value: Json<unknown>
  updatedAt: Generated<Date>
}

/** Settings that are. Written by api-gateway, which cannot read them; opened by auth-bridge. */
export interface SealedSettings {
  key: string
  sealed: string
  updatedAt: Generated<Date>
  /** Of a service secret that was replaced, `serviceSecret:…`: how long its signatures go along. */
  expiresAt: Date | null
}

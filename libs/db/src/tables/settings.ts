import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Settings of the installation without secrets. Written by api-gateway. */
export interface SettingsTable {
  key: string
  value: Json<unknown>
  updatedAt: Generated<Date>
}

/** Sealed settings of the installation. Written by api-gateway, unsealed by auth-bridge only. */
export interface SealedSettings {
  key: string
  sealed: string
  updatedAt: Generated<Date>
  /** End of the validity of a replaced service secret (`serviceSecret:…`). */
  expiresAt: Date | null
}

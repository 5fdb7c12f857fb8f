import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/**
 * Settings of the installation, except settings that are stored sealed (encrypted). Written by
 * api-gateway.
 */
export interface SettingsTable {
  key: string
  value: Json<unknown>
  updatedAt: Generated<Date>
}

/**
 * Sealed (encrypted) settings of the installation. Written by api-gateway. Only auth-bridge can
 * unseal them.
 */
export interface SealedSettings {
  key: string
  sealed: string
  updatedAt: Generated<Date>
  /** Time until which a replaced service secret (`serviceSecret:…`) remains valid. */
  expiresAt: Date | null
}

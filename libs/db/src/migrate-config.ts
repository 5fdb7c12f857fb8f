import { duration, type Env, json, required } from '@posthorn/config'

/**
 * Default for the maximum time that a database migration waits for a lock. Shorter than the
 * statement timeout of every service.
 */
export const defaultLockTimeoutMs = 3_000

/** Configuration of the migrate command. */
export interface MigrateConfig {
  /** URL of the Postgres database, with the login of its owner. */
  readonly ownerUrl: string
  /** Passwords of the services' roles, by role. Roles without an entry keep their passwords. */
  readonly rolePasswords: Readonly<Record<string, string>>
  /**
   * Maximum time that a migration waits for a lock if statements of services have to wait behind
   * the migration.
   */
  readonly lockTimeoutMs: number
  /** Maximum time for which a failed database migration is attempted again. */
  readonly maxWaitMs: number
}

/**
 * Reads the configuration of the migrate command. @throws ConfigError for a missing or invalid
 * variable
 */
export function readMigrateConfig(env: Env): MigrateConfig {
  const passwords = Object.entries(json(env, 'SVC_DATABASE_ROLE_PASSWORDS') ?? {})
  return {
    ownerUrl: required(env, 'DATABASE_OWNER_URL'),
    rolePasswords: Object.fromEntries(passwords.map(([role, value]) => [role, String(value)])),
    lockTimeoutMs: duration(env, 'SVC_MIGRATE_LOCK_TIMEOUT', {
      fallback: defaultLockTimeoutMs,
      min: 100,
    }),
    maxWaitMs: duration(env, 'SVC_MIGRATE_MAX_WAIT', { fallback: 600_000, min: 1_000 }),
  }
}

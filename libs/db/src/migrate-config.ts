import { type Env, json, required } from '@posthorn/config'

/** Configuration of the migrate command. */
export interface MigrateConfig {
  /** Database as its owner. */
  readonly ownerUrl: string
  /** Passwords of the services' roles. Other roles keep theirs. */
  readonly rolePasswords: Readonly<Record<string, string>>
}

/** @throws ConfigError for a missing or invalid variable */
export function readMigrateConfig(env: Env): MigrateConfig {
  const passwords = Object.entries(json(env, 'SVC_DATABASE_ROLE_PASSWORDS') ?? {})
  return {
    ownerUrl: required(env, 'DATABASE_OWNER_URL'),
    rolePasswords: Object.fromEntries(passwords.map(([role, value]) => [role, String(value)])),
  }
}

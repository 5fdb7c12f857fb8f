import { type Env, json, url } from '@posthorn/config'

/** Configuration of the broker-users command. */
export interface UsersConfig {
  /** Management API, with the login of an administrator. */
  readonly api: string
  readonly vhost: string
  /** Passwords of the services' users. Other users keep their passwords. */
  readonly passwords: Readonly<Record<string, string>>
}

/** @throws ConfigError for a missing or invalid variable */
export function readUsersConfig(env: Env): UsersConfig {
  const api = url(env, 'AMQP_ADMIN_URL', ['http:', 'https:'])
  const { pathname } = new URL(api)
  const passwords = Object.entries(json(env, 'SVC_AMQP_PASSWORDS') ?? {})
  return {
    api,
    vhost: pathname === '/' ? '/' : decodeURIComponent(pathname.slice(1)),
    passwords: Object.fromEntries(passwords.map(([user, value]) => [user, String(value)])),
  }
}

import { ConfigError, type Env, optional, url } from '@posthorn/config'

/** Configuration of the broker-users command. */
export interface UsersConfig {
  /** Management API, with the login of an administrator. */
  readonly api: string
  readonly vhost: string
  /** Passwords of the services' users. Other users keep theirs. */
  readonly passwords: Readonly<Record<string, string>>
}

/** @throws ConfigError for a missing or invalid variable */
export function readUsersConfig(env: Env): UsersConfig {
  const api = url(env, 'AMQP_ADMIN_URL', ['http:', 'https:'])
  const { pathname } = new URL(api)
  return {
    api,
    vhost: pathname === '/' ? '/' : decodeURIComponent(pathname.slice(1)),
    passwords: readPasswords(optional(env, 'SVC_AMQP_PASSWORDS') ?? '{}'),
  }
}

function readPasswords(text: string): Record<string, string> {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return Object.fromEntries(entries.map(([user, value]) => [user, String(value)]))
  } catch {
    // The parser's message would quote the passwords.
    throw new ConfigError('SVC_AMQP_PASSWORDS', 'must be a JSON object')
  }
}

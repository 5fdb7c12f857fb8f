import { type Env, json, url } from '@posthorn/config'

/** Configuration of the command that creates the RabbitMQ users of the services. */
export interface UsersConfig {
  /** URL of RabbitMQ's management API, with the login of an administrator. */
  readonly api: string
  readonly vhost: string
  /**
   * Passwords of the services' RabbitMQ users, by user name. Users without an entry keep their
   * passwords.
   */
  readonly passwords: Readonly<Record<string, string>>
}

/**
 * Reads the configuration of the broker-users command. @throws ConfigError for a missing or invalid
 * variable
 */
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

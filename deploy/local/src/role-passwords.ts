import { createHmac } from 'node:crypto'
import { roleOf, serviceNames } from '@posthorn/contracts/services'

export { roleOf, type ServiceName, serviceNames } from '@posthorn/contracts/services'

/**
 * Derives the password of a Postgres role from the owner's password. Roles belong to the server,
 * not to a database, so all test runs on one server must set the same passwords.
 */
export function rolePassword(ownerUrl: string, role: string): string {
  return createHmac('sha256', new URL(ownerUrl).password || 'no password')
    .update(role)
    .digest('hex')
}

/**
 * Passwords of all service roles, as the migrate command expects them in
 * SVC_DATABASE_ROLE_PASSWORDS.
 */
export function rolePasswords(ownerUrl: string): Record<string, string> {
  return Object.fromEntries(
    serviceNames.map(roleOf).map((role) => [role, rolePassword(ownerUrl, role)]),
  )
}

/** Returns the address of a Postgres or RabbitMQ server as the role of a service. */
export function roleUrl(ownerUrl: string, role: string): string {
  return Object.assign(new URL(ownerUrl), {
    username: role,
    password: rolePassword(ownerUrl, role),
  }).href
}

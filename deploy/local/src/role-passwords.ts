import { createHmac } from 'node:crypto'
import { roleOf, type ServiceName, serviceNames } from '@posthorn/contracts/services'

export { coreServices, roleOf, type ServiceName, serviceNames } from '@posthorn/contracts/services'

/**
 * Derives the password of a service's Postgres role from the owner's password. Roles belong to the
 * whole Postgres server, not to a single database. All test runs on one server must therefore set
 * equal passwords.
 */
export function rolePassword(ownerUrl: string, role: string): string {
  return createHmac('sha256', new URL(ownerUrl).password || 'no password')
    .update(role)
    .digest('hex')
}

/**
 * Passwords of the roles of services, as the migrate command expects them in
 * SVC_DATABASE_ROLE_PASSWORDS. Defaults to all services.
 */
export function rolePasswords(
  ownerUrl: string,
  services: readonly ServiceName[] = serviceNames,
): Record<string, string> {
  return Object.fromEntries(
    services.map(roleOf).map((role) => [role, rolePassword(ownerUrl, role)]),
  )
}

/** Returns the URL of a Postgres or RabbitMQ server with the login of a service's role. */
export function roleUrl(ownerUrl: string, role: string): string {
  return Object.assign(new URL(ownerUrl), {
    username: role,
    password: rolePassword(ownerUrl, role),
  }).href
}

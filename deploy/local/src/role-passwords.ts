import { createHmac } from 'node:crypto'
import { roleOf, serviceNames } from '@posthorn/contracts'

export { roleOf, type ServiceName, serviceNames } from '@posthorn/contracts'

/**
 * The password of a role, derived from the owner's: roles belong to the server, not to a database, so all that use one server (test
 * runs, a demo) must give them the same.
 */
export function rolePassword(ownerUrl: string, role: string): string {
  return createHmac('sha256', new URL(ownerUrl).password || 'no password')
    .update(role)
    .digest('hex')
}

/** All of them: what the migrate command takes as SVC_DATABASE_ROLE_PASSWORDS. */
export function rolePasswords(ownerUrl: string): Record<string, string> {
  return Object.fromEntries(
    serviceNames.map(roleOf).map((role) => [role, rolePassword(ownerUrl, role)]),
  )
}

/** The same server, Postgres or RabbitMQ, as the role of a service. */
export function roleUrl(ownerUrl: string, role: string): string {
  return Object.assign(new URL(ownerUrl), {
    username: role,
    password: rolePassword(ownerUrl, role),
  }).href
}

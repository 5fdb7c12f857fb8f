import { createHmac } from 'node:crypto'

/** The services, in the order a person would name them. */
export const serviceNames = [
  'api-gateway',
  'sync-worker',
  'sender',
  'webhook-dispatcher',
  'imap-proxy',
  'smtp-proxy',
  'auth-bridge',
] as const
export type ServiceName = (typeof serviceNames)[number]

/** The database role of a service, as the migrations make it. */
export function roleOf(service: ServiceName): string {
  return `posthorn_${service.replaceAll('-', '_')}`
}

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

/** The same database, as a service's role. */
export function roleUrl(ownerUrl: string, role: string): string {
  return Object.assign(new URL(ownerUrl), {
    username: role,
    password: rolePassword(ownerUrl, role),
  }).href
}

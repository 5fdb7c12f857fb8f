/** Names of the services of Posthorn. */
export const serviceNames = [
  'api-gateway',
  'sync-worker',
  'sender',
  'webhook-dispatcher',
  'imap-proxy',
  'smtp-proxy',
  'auth-bridge',
  'admin-ui',
] as const
export type ServiceName = (typeof serviceNames)[number]

/** Services that an installation may leave out. The other services work without them. */
export const optionalServices: readonly ServiceName[] = ['admin-ui']
/** Services that every installation runs. */
export const coreServices = serviceNames.filter((name) => !optionalServices.includes(name))

/** Postgres role and RabbitMQ user of a service, such as `posthorn_sync_worker`. */
export function roleOf(service: ServiceName): `posthorn_${string}` {
  return `posthorn_${service.replaceAll('-', '_')}`
}

/** Service to which a Postgres role or RabbitMQ user belongs. Undefined for other names. */
export function serviceOf(role: string | undefined): ServiceName | undefined {
  return serviceNames.find((service) => roleOf(service) === role)
}

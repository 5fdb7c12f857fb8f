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

/** What a service is called at Postgres and at RabbitMQ: `posthorn_sync_worker`. */
export function roleOf(service: ServiceName): `posthorn_${string}` {
  return `posthorn_${service.replaceAll('-', '_')}`
}

/** The service of a role or broker user; undefined for any other. */
export function serviceOf(role: string | undefined): ServiceName | undefined {
  return serviceNames.find((service) => roleOf(service) === role)
}

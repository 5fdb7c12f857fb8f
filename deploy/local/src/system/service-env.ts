import { keyPairFromSecret } from '@posthorn/secrets'
import { roleOf, roleUrl, type ServiceName } from '../role-passwords.ts'

/** What the services of one system have in common. */
export interface SharedConfig {
  /** The database, as its owner; each service gets it as its own role. */
  ownerUrl: string
  /** RabbitMQ, as an administrator where the services have users of their own; else they all use it as this one. */
  amqpUrl: string
  amqpUsers?: boolean
  /** SVC_SECRET: auth-bridge alone has it, the others get the public key it makes. */
  secret: string
  /** The first access token, with full rights; api-gateway stores its hash. */
  token: string
  /** Settings an empty instance starts with; api-gateway stores them. */
  settings: Readonly<Record<string, unknown>>
  /** Address the API is served at; health and metrics of the others stay on loopback. */
  bind: string
  /** Anything else, for all services: SVC_…, OTEL_…, NODE_OPTIONS. */
  env: Readonly<Record<string, string>>
}

/** The environment of one service: what it needs, and no other service's secrets. */
export function serviceEnv(
  name: ServiceName,
  port: number,
  shared: SharedConfig,
): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...shared.env,
    SVC_PORT: String(port),
    SVC_HOST: serviceHost(name, shared),
    DATABASE_URL: roleUrl(shared.ownerUrl, roleOf(name)),
    AMQP_URL: shared.amqpUsers ? roleUrl(shared.amqpUrl, roleOf(name)) : shared.amqpUrl,
    ...ownVariables(name, shared),
  }
}

/** Where a service listens: the API where it was told to, health and metrics of the others on loopback. */
export function serviceHost(name: ServiceName, { bind }: SharedConfig): string {
  return name === 'api-gateway' ? bind : '127.0.0.1'
}

/** Where, on this machine, one reaches what listens on an address. */
export function clientHost(bind: string): string {
  return ['0.0.0.0', '::', ''].includes(bind) ? '127.0.0.1' : bind
}

function ownVariables(
  name: ServiceName,
  { secret, token, settings }: SharedConfig,
): Record<string, string> {
  if (name === 'auth-bridge') return { SVC_SECRET: secret }
  const sealing = { SVC_SECRET_PUBLIC_KEY: keyPairFromSecret(secret).publicKey.text }
  if (name !== 'api-gateway') return sealing
  return { ...sealing, SVC_PREPARED_TOKEN: token, SVC_SETTINGS: JSON.stringify(settings) }
}

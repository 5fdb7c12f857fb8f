import { keyPairFromSecret } from '@posthorn/secrets'
import { roleOf, roleUrl, type ServiceName } from '../role-passwords.ts'

/** Configuration shared by all services of a local system. */
export interface SharedConfig {
  /**
   * URL of the local system's database, with the login of the database's owner. Each service gets
   * this URL with the login of its own role.
   */
  ownerUrl: string
  /**
   * Host and port of pgbouncer, through which the services connect to Postgres. Defaults to host
   * and port of `ownerUrl`.
   */
  pgbouncer?: string | undefined
  /**
   * URL of RabbitMQ with a login. With `amqpUsers`, the login belongs to an administrator, else to
   * a user that all services share.
   */
  amqpUrl: string
  amqpUsers?: boolean
  /**
   * Value of the environment variable SVC_SECRET. Only auth-bridge gets the secret. All other
   * services get the public key.
   */
  secret: string
  /**
   * Value of the environment variable SVC_SECRET_PUBLIC_KEY. Defaults to the public key of
   * `secret`.
   */
  publicKey?: string | undefined
  /** First access token of the API, with full rights. api-gateway stores the hash of the token. */
  token: string
  /** Initial settings of Posthorn, which api-gateway stores if the installation is empty. */
  settings: Readonly<Record<string, unknown>>
  /**
   * Listen address of the API. All other services serve health checks and metrics only on loopback.
   */
  bind: string
  /**
   * Additional environment variables of all services of the local system: SVC_…, OTEL_…,
   * NODE_OPTIONS.
   */
  env: Readonly<Record<string, string>>
  /** Environment variables that only some services get additionally, by service name. */
  envByService?: EnvByService
}

export type EnvByService = Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>

/** Environment variables of one service, without the secrets of other services. */
export function serviceEnv(
  name: ServiceName,
  port: number,
  shared: SharedConfig,
): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    // Drain times of the IMAP and SMTP proxies are short, so that a system on a laptop stops within
    // seconds.
    SVC_IMAP_PROXY_DRAIN: '1s',
    SVC_SMTP_PROXY_DRAIN: '1s',
    ...shared.env,
    ...shared.envByService?.[name],
    SVC_PORT: String(port),
    SVC_HOST: serviceHost(name, shared),
    DATABASE_URL: databaseUrl(name, shared),
    AMQP_URL: shared.amqpUsers ? roleUrl(shared.amqpUrl, roleOf(name)) : shared.amqpUrl,
    ...ownVariables(name, shared),
  }
}

function databaseUrl(name: ServiceName, { ownerUrl, pgbouncer }: SharedConfig): string {
  const url = new URL(roleUrl(ownerUrl, roleOf(name)))
  return pgbouncer === undefined ? url.href : Object.assign(url, { host: pgbouncer }).href
}

/**
 * Listen address of a service: `bind` for api-gateway, loopback for all other services, which serve
 * only health checks and metrics.
 */
export function serviceHost(name: ServiceName, { bind }: SharedConfig): string {
  return name === 'api-gateway' ? bind : '127.0.0.1'
}

/** Host name at which clients on this machine reach a server that listens on the address `bind`. */
export function clientHost(bind: string): string {
  return ['0.0.0.0', '::', ''].includes(bind) ? '127.0.0.1' : bind
}

function ownVariables(
  name: ServiceName,
  { secret, publicKey, token, settings }: SharedConfig,
): Record<string, string> {
  if (name === 'auth-bridge') return { SVC_SECRET: secret }
  if (name === 'admin-ui') return {}
  const sealing = { SVC_SECRET_PUBLIC_KEY: publicKey ?? keyPairFromSecret(secret).publicKey.text }
  if (name !== 'api-gateway') return sealing
  return { ...sealing, SVC_PREPARED_TOKEN: token, SVC_SETTINGS: JSON.stringify(settings) }
}

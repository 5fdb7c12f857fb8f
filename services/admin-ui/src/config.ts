import {
  addressRanges,
  duration,
  type Env,
  oneOf,
  type Secret,
  secret,
  url,
} from '@posthorn/config'
import { readAdminUrl } from '@posthorn/service/admin-url-config'
import { type HttpConfig, readHttpConfig } from '@posthorn/service/http-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'
import { logLevels } from '@posthorn/telemetry'
import { type OidcConfig, readOidcConfig } from './oidc/oidc-config.ts'

export interface Config extends ServiceConfig, HttpConfig {
  /** Base URL of api-gateway, to which calls of signed-in people are forwarded. */
  readonly gatewayUrl: string
  /**
   * Origin at which browsers reach the administration pages. If undefined, the Host header of a
   * request decides.
   */
  readonly adminUrl: string | undefined
  /**
   * Network addresses and ranges of clients that have access to admin-ui. Undefined: all clients
   * have access.
   */
  readonly addresses: readonly string[] | undefined
  /** Token of the set-up link, with which the first owner is created. */
  readonly setupToken: Secret | undefined
  /** OpenID provider at which people sign in. Undefined if no provider is configured. */
  readonly oidc: OidcConfig | undefined
  /** Age in milliseconds at which months of the audit log are deleted. */
  readonly auditKeepMs: number
}

const day = 86_400_000
/** Minimum length of the set-up token: 256 bits in base64url. */
const minTokenLength = 43

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { service: 'admin-ui', port: 3008 }),
    ...readHttpConfig(env),
    gatewayUrl: url(env, 'SVC_GATEWAY_URL', ['http:', 'https:']),
    adminUrl: readAdminUrl(env),
    addresses: addressRanges(env, 'SVC_ADMIN_ADDRESSES'),
    setupToken: secret(env, 'SVC_ADMIN_SETUP_TOKEN', { minLength: minTokenLength }),
    oidc: readOidcConfig(env),
    auditKeepMs: duration(env, 'SVC_ADMIN_AUDIT_KEEP', {
      fallback: 400 * day,
      min: 31 * day,
      max: 3_650 * day,
    }),
  }
}

/** Configuration of the job admin-owner, which creates a link for an owner. */
export type AdminOwnerConfig = Pick<Config, 'databaseUrl' | 'adminUrl' | 'logLevel'>

export function readAdminOwnerConfig(env: Env): AdminOwnerConfig {
  return {
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    adminUrl: readAdminUrl(env),
    logLevel: oneOf(env, 'SVC_LOG_LEVEL', { values: logLevels, fallback: 'warn' }),
  }
}

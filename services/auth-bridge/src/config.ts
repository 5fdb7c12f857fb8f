import { boolean, ConfigError, type Env, list, oneOf, optional } from '@posthorn/config'
import { minCredentialsTimeoutMs } from '@posthorn/contracts/commands/credentials'
import { type EgressPolicy, egressPolicies } from '@posthorn/net/egress'
import type { OriginMap } from '@posthorn/net/origin-map'
import { readPublicKey } from '@posthorn/secrets'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'
import { readSecrets, type Secrets } from './secrets-config.ts'

export interface Config extends ServiceConfig, Secrets {
  /**
   * Egress policy for requests to the authentication server: networks in which this server must not
   * be.
   */
  readonly authServerEgressPolicy: EgressPolicy
  /**
   * Timeout of requests to the authentication server. Shorter than the timeout of the requesting
   * service, so that the service learns the reason of a failure.
   */
  readonly authServerTimeoutMs: number
  /**
   * Egress policy for requests to OAuth2 providers: networks in which their servers must not be.
   */
  readonly oauthEgressPolicy: EgressPolicy
  /** The only file from which identity tokens of federated service accounts are read. */
  readonly identityTokenFile?: string | undefined
  /** Replacements for the origins of OAuth2 providers, used by tests. */
  readonly providerOrigins: OriginMap
  /**
   * Egress policy for the HTTP proxy of the operator's settings: networks in which the proxy must
   * not be.
   */
  readonly proxyEgressPolicy: EgressPolicy
  /**
   * If true, auth-bridge refuses secrets that earlier releases sealed (encrypted) without a binding
   * (limit of their use).
   */
  readonly requireBoundSecrets?: boolean
  /**
   * If true, clients may read provider access tokens, whatever the setting `enableOAuthTokensApi`
   * is.
   */
  readonly oauthTokensApi: boolean
  /** Public keys of other instances for which accounts with their secrets may be exported. */
  readonly accountExportKeys?: readonly string[]
}

export function readConfig(env: Env): Config {
  const egressPolicy = (name: string) =>
    oneOf(env, name, { values: egressPolicies, fallback: 'link-local' })
  return {
    ...readServiceConfig(env, { service: 'auth-bridge', port: 3007 }),
    ...readSecrets(env),
    authServerEgressPolicy: egressPolicy('SVC_AUTH_SERVER_EGRESS_POLICY'),
    authServerTimeoutMs: minCredentialsTimeoutMs - 2_000,
    proxyEgressPolicy: egressPolicy('SVC_PROXY_EGRESS_POLICY'),
    oauthEgressPolicy: egressPolicy('SVC_OAUTH_EGRESS_POLICY'),
    identityTokenFile: optional(env, 'SVC_IDENTITY_TOKEN_FILE'),
    providerOrigins: readProviderOrigins(env),
    requireBoundSecrets: boolean(env, 'SVC_REQUIRE_BOUND_SECRETS', false),
    oauthTokensApi: boolean(env, 'SVC_ENABLE_OAUTH_TOKENS_API', false),
    accountExportKeys: readExportKeys(env),
  }
}

/**
 * Reads the public keys for which accounts may be exported. Ids of keys are not accepted: an id is
 * a short hash, for which another key could be found.
 */
function readExportKeys(env: Env): string[] {
  const name = 'SVC_ACCOUNT_EXPORT_KEYS'
  return (list(env, name) ?? []).map((text) => {
    try {
      return readPublicKey(text).text
    } catch {
      throw new ConfigError(name, 'must be public keys of 32 bytes as base64url, comma-separated')
    }
  })
}

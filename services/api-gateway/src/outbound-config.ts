import { ConfigError, type Env, oneOf, optional } from '@posthorn/config'
import { egressPolicies, type EgressPolicy } from '@posthorn/net/egress'
import type { OriginMap } from '@posthorn/net/origin-map'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'

/** Servers that api-gateway contacts, and the networks that these servers may be in. */
export interface OutboundConfig {
  /** Base URL of a directory of mail provider settings; the domain is appended. */
  readonly autoconfigDirectory: string | undefined
  /** Networks that autoconfig may contact. */
  readonly autoconfigEgressPolicy: EgressPolicy
  /** Networks that may contain the HTTP proxy of the operator's settings. */
  readonly proxyEgressPolicy: EgressPolicy
  /** Networks that OAuth2 providers may be in when api-gateway requests their signing keys. */
  readonly oauthEgressPolicy: EgressPolicy
  /** Origins of mail providers, and other origins to which requests are sent instead in tests. */
  readonly providerOrigins: OriginMap
}

export function readOutboundConfig(env: Env): OutboundConfig {
  return {
    autoconfigDirectory: autoconfigDirectory(env),
    // Autoconfig contacts mail servers, so its egress policy defaults to the policy of mail
    // servers.
    autoconfigEgressPolicy: egressPolicy(
      env,
      'SVC_AUTOCONFIG_EGRESS_POLICY',
      egressPolicy(env, 'SVC_MAIL_EGRESS_POLICY'),
    ),
    proxyEgressPolicy: egressPolicy(env, 'SVC_PROXY_EGRESS_POLICY'),
    oauthEgressPolicy: egressPolicy(env, 'SVC_OAUTH_EGRESS_POLICY'),
    providerOrigins: readProviderOrigins(env),
  }
}

function egressPolicy(env: Env, name: string, fallback: EgressPolicy = 'link-local'): EgressPolicy {
  return oneOf(env, name, { values: egressPolicies, fallback })
}

/** Base URL of the autoconfig directory. An empty variable disables the directory. */
function autoconfigDirectory(env: Env): string | undefined {
  const name = 'SVC_AUTOCONFIG_DIRECTORY'
  if (env[name] === '') return undefined
  const address = optional(env, name) ?? 'https://autoconfig.thunderbird.net/v1.1/'
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new ConfigError(name, 'must be an address starting with https:// or http://')
  return address.endsWith('/') ? address : `${address}/`
}

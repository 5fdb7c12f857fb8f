import { type Env, list, oneOf, required, Secret } from '@posthorn/config'
import { minCredentialsTimeoutMs } from '@posthorn/contracts'
import { type EgressPolicy, egressPolicies } from '@posthorn/net'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Secrets {
  /** What the sealing key pair is derived from. */
  readonly secret: Secret
  /** Other secrets, of before or to come: what was sealed under them opens as well. */
  readonly previousSecrets: readonly Secret[]
}

export interface Config extends ServiceConfig, Secrets {
  /** Where the auth server may be. */
  readonly authServerEgressPolicy: EgressPolicy
  /** How long it may take, in all: then there is time to say so to whoever waits for credentials. */
  readonly authServerTimeoutMs: number
  /** Where OAuth2 providers may be. */
  readonly oauthEgressPolicy: EgressPolicy
  /** Where the proxy of the settings may be. */
  readonly proxyEgressPolicy: EgressPolicy
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3007 }),
    ...readSecrets(env),
    authServerEgressPolicy: oneOf(env, 'SVC_AUTH_SERVER_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    authServerTimeoutMs: minCredentialsTimeoutMs - 2_000,
    proxyEgressPolicy: oneOf(env, 'SVC_PROXY_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    oauthEgressPolicy: oneOf(env, 'SVC_OAUTH_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
  }
}

/** What opens stored secrets: the service and the command that seals them anew read the same. */
export function readSecrets(env: Env): Secrets {
  return {
    secret: new Secret(required(env, 'SVC_SECRET')),
    previousSecrets: (list(env, 'SVC_SECRET_PREVIOUS') ?? []).map((text) => new Secret(text)),
  }
}

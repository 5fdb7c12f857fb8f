import { type Env, oneOf, optional, required, Secret } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Config extends ServiceConfig {
  /** What the sealing key pair is derived from. */
  readonly secret: Secret
  /** Secrets of before: what was sealed under them still opens. */
  readonly previousSecrets: readonly Secret[]
  /** Where the auth server may be. */
  readonly authServerEgressPolicy: EgressPolicy
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3007 }),
    secret: new Secret(required(env, 'SVC_SECRET')),
    previousSecrets: (optional(env, 'SVC_SECRET_PREVIOUS') ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map((text) => new Secret(text)),
    authServerEgressPolicy: oneOf(env, 'SVC_AUTH_SERVER_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
  }
}

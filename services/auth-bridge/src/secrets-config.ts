import {
  ConfigError,
  type Env,
  list,
  minSecretLength,
  required,
  Secret,
  secret,
} from '@posthorn/config'

/** Secrets of the service from which the key pairs for stored secrets are derived. */
export interface Secrets {
  /** Secret from which the key pair for sealing (encrypting) stored secrets is derived. */
  readonly secret: Secret
  /**
   * Further secrets from which key pairs are derived, older or newer. auth-bridge can unseal the
   * values that were sealed (encrypted) with these keys.
   */
  readonly previousSecrets: readonly Secret[]
}

/**
 * Reads the secrets from which the sealing (encryption) keys are derived. The service and
 * `reseal-main.ts` use the same variables. Previous secrets may be shorter than the minimum length,
 * so that a short secret can be replaced.
 */
export function readSecrets(env: Env): Secrets {
  const current = secret(env, 'SVC_SECRET', { minLength: minSecretLength })
  if (current === undefined) throw new ConfigError('SVC_SECRET', 'must be set')
  return {
    secret: current,
    previousSecrets: (list(env, 'SVC_SECRET_PREVIOUS') ?? []).map((text) => new Secret(text)),
  }
}

/**
 * Reads the configuration of `reseal-main.ts`, which encrypts all stored secrets again and does not
 * use RabbitMQ.
 */
export function readResealConfig(env: Env): Secrets & { readonly databaseUrl: string } {
  return { ...readSecrets(env), databaseUrl: required(env, 'DATABASE_URL') }
}

/**
 * Reads the configuration of `keys-main.ts`, which prints encryption keys. If SVC_SECRET is not
 * set, the command creates a new secret.
 */
export function readKeysConfig(env: Env): { readonly secret: Secret | undefined } {
  return { secret: secret(env, 'SVC_SECRET', { minLength: minSecretLength }) }
}

import { ConfigError, type Env, json, optional, type Secret, secret } from '@posthorn/config'
import { settings, SettingsUpdate } from '@posthorn/contracts/settings/settings'
import { check } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { isSessionCredential } from './access/authenticate.ts'

/** Settings and access tokens that environment variables define for the deployment. */
export interface FirstRunConfig {
  /** Operator settings from the environment, which are applied at every start of api-gateway. */
  readonly settings: SettingsUpdate | undefined
  /** Names in SVC_SETTINGS that are not settings. */
  readonly unknownSettings: readonly string[]
  /**
   * Access token with all permissions that the environment defines, valid from the first start of
   * the deployment.
   */
  readonly preparedToken: Secret | undefined
  /** File for the first access token of a deployment; undefined selects stderr. */
  readonly firstTokenFile: string | undefined
}

export function readFirstRunConfig(env: Env): FirstRunConfig {
  return {
    ...readSettings(env),
    preparedToken: preparedToken(env),
    firstTokenFile: optional(env, 'SVC_FIRST_TOKEN_FILE'),
  }
}

/**
 * Reads settings from SVC_SETTINGS. Unknown settings are skipped, so that an older or newer release
 * can start with the variable.
 */
function readSettings(env: Env): Pick<FirstRunConfig, 'settings' | 'unknownSettings'> {
  const input = json(env, 'SVC_SETTINGS') ?? {}
  const unknownSettings = Object.keys(input).filter((key) => !Object.hasOwn(settings, key))
  for (const key of unknownSettings) delete input[key]
  if (Object.keys(input).length === 0) return { settings: undefined, unknownSettings }
  try {
    return { settings: check(SettingsUpdate, input), unknownSettings }
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError('SVC_SETTINGS', error.message)
    throw error
  }
}

function preparedToken(env: Env): Secret | undefined {
  const token = secret(env, 'SVC_PREPARED_TOKEN')
  const problem = 'must be 32 to 256 printable characters without spaces'
  if (token !== undefined && !/^[\x21-\x7e]{32,256}$/.test(token.reveal()))
    throw new ConfigError('SVC_PREPARED_TOKEN', problem)
  if (token !== undefined && isSessionCredential(token.reveal()))
    throw new ConfigError('SVC_PREPARED_TOKEN', 'must not start with sess_')
  return token
}

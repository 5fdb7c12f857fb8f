import {
  boolean,
  byteSize,
  ConfigError,
  duration,
  type Env,
  integer,
  json,
  minSecretLength,
  oneOf,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'
import { settings, SettingsUpdate } from '@posthorn/contracts/settings/settings'
import { check } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { readReaderConfig } from '@posthorn/message-reader'
import { egressPolicies, type EgressPolicy } from '@posthorn/net/egress'
import type { OriginMap } from '@posthorn/net/origin-map'
import { keyPairFromSecret, type PublicKey, readPublicKey } from '@posthorn/secrets'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'
import { type HttpServerConfig, readHttpServerConfig } from './http-server-config.ts'

export interface Config extends ServiceConfig {
  readonly httpServer: HttpServerConfig
  /** Limits of quoting referenced messages. */
  readonly reader: ReturnType<typeof readReaderConfig>
  /** Minimum timeout of a command to a worker. A request can extend the timeout. */
  readonly timeoutMs: number
  /** Duration of a login test of a server that cannot be used, for callers without full rights. */
  readonly unusableMs: number
  /** Body limit of operations that take uploads; all other operations have 1 MB. */
  readonly maxBodyBytes: number
  /** If false, requests without a token are admitted. */
  readonly requireApiAuth: boolean
  /** Limits of token logs: entries per token, and age after the last use. */
  readonly tokenLog: { readonly keep: number; readonly ageMs: number }
  /** Settings that are applied at every start. */
  readonly settings: SettingsUpdate | undefined
  /** Names in SVC_SETTINGS that are not settings. */
  readonly unknownSettings: readonly string[]
  /** Token with all permissions, valid from the first start. */
  readonly preparedToken: Secret | undefined
  /** File for the first token of a deployment; undefined selects stderr. */
  readonly firstTokenFile: string | undefined
  /** Idle time of `GET /v1/changes` before a comment is sent. */
  readonly changesKeepAliveMs: number
  /** Interval of the poll for changes whose broadcast was lost. */
  readonly changesPollMs: number
  /** Period in which a body above 1 MiB must progress by 16 KiB per second. */
  readonly uploadStallMs: number
  /** Time for the body of a public page. */
  readonly publicBodyTimeoutMs: number
  /** Heartbeat interval that the sync-workers use. */
  readonly workerHeartbeatMs: number
  /** Base URL of a directory of provider settings; the domain is appended. */
  readonly autoconfigDirectory: string | undefined
  /** Networks that autoconfig may contact. */
  readonly autoconfigEgressPolicy: EgressPolicy
  /** Networks in which the proxy of the settings may be. */
  readonly proxyEgressPolicy: EgressPolicy
  /** Networks of providers whose signing keys are requested. */
  readonly oauthEgressPolicy: EgressPolicy
  /** Origins of providers that tests replace. */
  readonly providerOrigins: OriginMap
  /** File with crawler addresses; undefined selects the bundled file. */
  readonly crawlerRangesFile: string | undefined
  /** If true, clients may read provider access tokens, regardless of the setting. */
  readonly oauthTokensApi: boolean
  /** Public key for sealing. Only auth-bridge can unseal. */
  readonly sealingKey: PublicKey
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, {
      service: 'api-gateway',
      port: 3000,
      shutdownTimeoutMs: 15_000,
    }),
    httpServer: readHttpServerConfig(env),
    reader: readReaderConfig(env),
    timeoutMs: duration(env, 'SVC_TIMEOUT', { fallback: 10_000, min: 100, max: 7_200_000 }),
    uploadStallMs: duration(env, 'SVC_UPLOAD_STALL_TIME', {
      fallback: 15_000,
      min: 1_000,
      max: 120_000,
    }),
    unusableMs: duration(env, 'SVC_UNUSABLE_SERVER_TIME', { fallback: 10_000, min: 100 }),
    maxBodyBytes: byteSize(env, 'SVC_MAX_BODY_SIZE', {
      fallback: 50 * 1024 ** 2,
      min: 1024,
      max: 512 * 1024 ** 2,
    }),
    requireApiAuth: boolean(env, 'SVC_REQUIRE_API_AUTH', true),
    oauthTokensApi: boolean(env, 'SVC_ENABLE_OAUTH_TOKENS_API', false),
    tokenLog: tokenLog(env),
    ...readSettings(env),
    preparedToken: preparedToken(env),
    firstTokenFile: optional(env, 'SVC_FIRST_TOKEN_FILE'),
    changesPollMs: 1_000,
    // A body of a public request is usually in one packet with the head of the request.
    publicBodyTimeoutMs: 10_000,
    changesKeepAliveMs: duration(env, 'SVC_CHANGES_KEEP_ALIVE', {
      fallback: 90_000,
      min: 10,
      max: 3_600_000,
    }),
    workerHeartbeatMs: duration(env, 'SVC_WORKER_HEARTBEAT', {
      fallback: 5_000,
      min: 100,
      max: 60_000,
    }),
    autoconfigDirectory: autoconfigDirectory(env),
    // Autoconfig contacts mail hosts, so it defaults to their policy.
    autoconfigEgressPolicy: egressPolicy(
      env,
      'SVC_AUTOCONFIG_EGRESS_POLICY',
      egressPolicy(env, 'SVC_MAIL_EGRESS_POLICY'),
    ),
    proxyEgressPolicy: egressPolicy(env, 'SVC_PROXY_EGRESS_POLICY'),
    oauthEgressPolicy: egressPolicy(env, 'SVC_OAUTH_EGRESS_POLICY'),
    providerOrigins: readProviderOrigins(env),
    crawlerRangesFile: optional(env, 'SVC_CRAWLER_RANGES_FILE'),
    sealingKey: sealingKey(env),
  }
}

function egressPolicy(env: Env, name: string, fallback: EgressPolicy = 'link-local'): EgressPolicy {
  return oneOf(env, name, { values: egressPolicies, fallback })
}

/** An empty value disables the directory. */
function autoconfigDirectory(env: Env): string | undefined {
  const name = 'SVC_AUTOCONFIG_DIRECTORY'
  if (env[name] === '') return undefined
  const address = optional(env, name) ?? 'https://autoconfig.thunderbird.net/v1.1/'
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new ConfigError(name, 'must be an address starting with https:// or http://')
  return address.endsWith('/') ? address : `${address}/`
}

function tokenLog(env: Env) {
  const day = 86_400_000
  return {
    keep: integer(env, 'SVC_TOKEN_LOG_ENTRIES', { fallback: 1_000, min: 1, max: 100_000 }),
    ageMs: duration(env, 'SVC_TOKEN_LOG_AGE', { fallback: 7 * day, min: 1_000, max: 3_650 * day }),
  }
}

/** Unknown settings are skipped, so that an older or newer release starts with them. */
function readSettings(env: Env): Pick<Config, 'settings' | 'unknownSettings'> {
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
  return token
}

/**
 * Public key for sealing. The private key does not stay in memory, so this service cannot unseal.
 */
function sealingKey(env: Env): PublicKey {
  const name = 'SVC_SECRET_PUBLIC_KEY'
  const text = optional(env, name)
  if (text !== undefined) {
    try {
      return readPublicKey(text)
    } catch {
      throw new ConfigError(name, 'must be 32 bytes of an X25519 key as base64url')
    }
  }
  const derived = secret(env, 'SVC_SECRET', { minLength: minSecretLength })
  if (derived === undefined) throw new ConfigError(name, 'must be set, or SVC_SECRET instead')
  return keyPairFromSecret(derived.reveal()).publicKey
}

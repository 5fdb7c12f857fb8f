import {
  boolean,
  byteSize,
  ConfigError,
  duration,
  type Env,
  integer,
  json,
  oneOf,
  optional,
  type Secret,
  secret,
} from '@posthorn/config'
import { check, settings, SettingsUpdate } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { egressPolicies, type EgressPolicy } from '@posthorn/net'
import { keyPairFromSecret, type PublicKey, readPublicKey } from '@posthorn/secrets'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'
import { type DoorConfig, readDoorConfig } from './door/door-config.ts'

export interface Config extends ServiceConfig {
  readonly door: DoorConfig
  /** How long an account's worker may take; a request can ask for more. */
  readonly timeoutMs: number
  /** Of operations that take uploads; all others take 1 MB. */
  readonly maxBodyBytes: number
  /** False: requests without a token are taken. */
  readonly requireApiAuth: boolean
  /** What the log of a token keeps. */
  readonly tokenLog: { readonly keep: number; readonly ageMs: number }
  /** Applied at every start. */
  readonly settings: SettingsUpdate | undefined
  /** What was given as a setting and is none. */
  readonly unknownSettings: readonly string[]
  /** A token that works from the first start on. */
  readonly preparedToken: Secret | undefined
  /** Where the first token of an instance is written; without it, to stderr. */
  readonly firstTokenFile: string | undefined
  /** Of silence on `GET /v1/changes`, before a comment is sent. */
  readonly changesKeepAliveMs: number
  /** How often changes are looked for that nobody has told of. */
  readonly changesPollMs: number
  /** Between heartbeats of sync-workers, as they have it: one that missed three counts as gone. */
  readonly workerHeartbeatMs: number
  /** Where settings of mail providers are collected: a domain is put behind it. */
  readonly autoconfigDirectory: string | undefined
  /** Where autoconfig may ask. */
  readonly autoconfigEgressPolicy: EgressPolicy
  /** Where the proxy of the settings may be. */
  readonly proxyEgressPolicy: EgressPolicy
  /** Addresses of crawlers, instead of those that come with the release. */
  readonly crawlerRangesFile: string | undefined
  /** Access tokens are given away, whatever the setting says. */
  readonly oauthTokensApi: boolean
  /** Seals what auth-bridge alone can open. */
  readonly sealingKey: PublicKey
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { port: 3000 }),
    door: readDoorConfig(env),
    timeoutMs: duration(env, 'SVC_TIMEOUT', { fallback: 10_000, min: 100, max: 7_200_000 }),
    maxBodyBytes: byteSize(env, 'SVC_MAX_BODY_SIZE', {
      fallback: 50 * 1024 ** 2,
      min: 1024,
      max: 512 * 1024 ** 2,
    }),
    requireApiAuth: boolean(env, 'SVC_REQUIRE_API_AUTH', true),
    oauthTokensApi: boolean(env, 'SVC_ENABLE_OAUTH_TOKENS_API', false),
    tokenLog: tokenLog(env),
    ...givenSettings(env),
    preparedToken: preparedToken(env),
    firstTokenFile: optional(env, 'SVC_FIRST_TOKEN_FILE'),
    changesPollMs: 1_000,
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
    autoconfigEgressPolicy: oneOf(env, 'SVC_AUTOCONFIG_EGRESS_POLICY', {
      values: egressPolicies,
      // They are hosts of mail: what is said of these holds for them.
      fallback: oneOf(env, 'SVC_MAIL_EGRESS_POLICY', {
        values: egressPolicies,
        fallback: 'link-local',
      }),
    }),
    proxyEgressPolicy: oneOf(env, 'SVC_PROXY_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    crawlerRangesFile: optional(env, 'SVC_CRAWLER_RANGES_FILE'),
    sealingKey: sealingKey(env),
  }
}

/** Set and empty: none is asked. */
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

/** Unknown ones are left out: an instance must start under a release that does not know them yet, or any more. */
function givenSettings(env: Env): Pick<Config, 'settings' | 'unknownSettings'> {
  const entries = Object.entries(json(env, 'SVC_SETTINGS') ?? {})
  const known = entries.filter(([key]) => Object.hasOwn(settings, key))
  const unknownSettings = entries.map(([key]) => key).filter((key) => !Object.hasOwn(settings, key))
  if (known.length === 0) return { settings: undefined, unknownSettings }
  try {
    return { settings: check(SettingsUpdate, Object.fromEntries(known)), unknownSettings }
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError('SVC_SETTINGS', error.message)
    throw error
  }
}

function preparedToken(env: Env): Secret | undefined {
  const token = secret(env, 'SVC_PREPARED_TOKEN')
  if (token !== undefined && !/^[\x21-\x7e]{32,256}$/.test(token.reveal()))
    throw new ConfigError(
      'SVC_PREPARED_TOKEN',
      'must be 32 to 256 printable characters without spaces',
    )
  return token
}

/** The public half alone is kept: nothing here can open what it seals. */
function sealingKey(env: Env): PublicKey {
  const text = optional(env, 'SVC_SECRET_PUBLIC_KEY')
  if (text !== undefined) {
    try {
      return readPublicKey(text)
    } catch {
      throw new ConfigError(
        'SVC_SECRET_PUBLIC_KEY',
        'must be 32 bytes of an X25519 key as base64url',
      )
    }
  }
  const derived = secret(env, 'SVC_SECRET')
  if (derived === undefined)
    throw new ConfigError('SVC_SECRET_PUBLIC_KEY', 'must be set, or SVC_SECRET instead')
  return keyPairFromSecret(derived.reveal()).publicKey
}

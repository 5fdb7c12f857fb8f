import { boolean, byteSize, duration, type Env, integer, optional } from '@posthorn/config'
import { readReaderConfig } from '@posthorn/message-reader'
import type { PublicKey } from '@posthorn/secrets'
import { readAdminUrl } from '@posthorn/service/admin-url-config'
import { type ExportConfig, readExportConfig } from '@posthorn/service/export-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'
import { type FirstRunConfig, readFirstRunConfig } from './first-run-config.ts'
import { type HttpServerConfig, readHttpServerConfig } from './http-server-config.ts'
import { type OutboundConfig, readOutboundConfig } from './outbound-config.ts'
import { readSealingKey } from './sealing-key-config.ts'

export interface Config extends ServiceConfig, FirstRunConfig, OutboundConfig {
  readonly httpServer: HttpServerConfig
  /** Origin of the administration pages, to which `/admin` redirects. */
  readonly adminUrl: string | undefined
  /** Limits of the message reader, which parses messages for quotations. */
  readonly reader: ReturnType<typeof readReaderConfig>
  /**
   * Minimum timeout of a command that api-gateway sends to a sync-worker. An API request can extend
   * this timeout by a header.
   */
  readonly timeoutMs: number
  /** Duration of a test of a mail server that cannot be used, for callers without full rights. */
  readonly unusableMs: number
  /** Maximum request body of API operations that take uploads; other API operations have 1 MB. */
  readonly maxBodyBytes: number
  /** If false, API requests without an access token are admitted. */
  readonly requireApiAuth: boolean
  /** Limits of access token logs: entries per token, and age after the last use. */
  readonly tokenLog: { readonly keep: number; readonly ageMs: number }
  /**
   * Time without data on the stream `GET /v1/changes` after which a comment is sent to the client.
   */
  readonly changesKeepAliveMs: number
  /** Interval at which account changes are polled, in case the broadcast of a change was lost. */
  readonly changesPollMs: number
  /** Period in which a request body above 1 MiB must progress by 16 KiB per second. */
  readonly uploadStallMs: number
  /** Maximum time in which the request body of a public page must arrive. */
  readonly publicBodyTimeoutMs: number
  /** Interval at which each sync-worker records a heartbeat, the sign that it is running. */
  readonly workerHeartbeatMs: number
  /** File with address ranges of crawlers; undefined selects the bundled file. */
  readonly crawlerRangesFile: string | undefined
  /**
   * If true, clients may read provider access tokens, whatever the setting `enableOAuthTokensApi`
   * is.
   */
  readonly oauthTokensApi: boolean
  /** Limits of exports, which are files with the messages of an account. */
  readonly exports: ExportConfig
  /**
   * Public key with which secrets are sealed (encrypted). Only auth-bridge has the private key that
   * unseals them.
   */
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
    adminUrl: readAdminUrl(env),
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
    ...readFirstRunConfig(env),
    ...readOutboundConfig(env),
    changesPollMs: 1_000,
    // Short timeout for the body of a public request, which usually arrives in the same packet as
    // the head.
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
    crawlerRangesFile: optional(env, 'SVC_CRAWLER_RANGES_FILE'),
    exports: readExportConfig(env),
    sealingKey: readSealingKey(env),
  }
}

function tokenLog(env: Env) {
  const day = 86_400_000
  return {
    keep: integer(env, 'SVC_TOKEN_LOG_ENTRIES', { fallback: 1_000, min: 1, max: 100_000 }),
    ageMs: duration(env, 'SVC_TOKEN_LOG_AGE', { fallback: 7 * day, min: 1_000, max: 3_650 * day }),
  }
}

import { readProviderLimits } from '@posthorn/backends/provider-limits-config'
import { duration, type Env, integer, oneOf } from '@posthorn/config'
import { readReaderConfig } from '@posthorn/message-reader'
import { egressPolicies } from '@posthorn/net/egress'
import { readExportConfig } from '@posthorn/service/export-config'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'
import { readMailPorts } from '@posthorn/service/mail-ports-config'
import { readServiceConfig } from '@posthorn/service/service-config'
import { readMailSystemConfig } from './mail-system-config.ts'

/** Configuration of sync-worker. */
export type Config = Readonly<ReturnType<typeof readConfig>>

/**
 * Minimum duration of a shard handoff (transfer of accounts to other workers at shutdown). Other
 * workers claim a shard up to one claim interval after its release. With the default timeout and
 * claim interval, other workers hold all shards within 2 s.
 */
const minHandoffMs = 500
/**
 * Share of the shutdown timeout that is reserved for work after the shard handoff: mail servers
 * that ignore LOGOUT, commands in progress, closing of clients.
 */
const afterHandoffMs = 9_500

/**
 * Reads the configuration of sync-worker from environment variables.
 *
 * @throws ConfigError for a missing or invalid variable
 */
export function readConfig(env: Env) {
  const egressPolicy = (name: string) =>
    oneOf(env, name, { values: egressPolicies, fallback: 'link-local' })
  const service = readServiceConfig(env, { service: 'sync-worker', port: 3002 })
  return {
    ...service,
    /**
     * Heartbeat interval, equal for all workers. A worker stops its work after two missed
     * heartbeats. Other workers claim the shards of that worker after three missed heartbeats.
     */
    heartbeatMs: duration(env, 'SVC_WORKER_HEARTBEAT', { fallback: 5_000, min: 100, max: 60_000 }),
    /** Interval at which a worker claims or releases shards (groups of accounts). */
    claimMs: duration(env, 'SVC_WORKER_CLAIM_INTERVAL', { fallback: 1_000, min: 50, max: 60_000 }),
    /**
     * Time for handing the shards of this worker to other workers at shutdown. Later steps of the
     * shutdown take up to `afterHandoffMs`.
     */
    handoffMs: Math.max(minHandoffMs, service.shutdownTimeoutMs - afterHandoffMs),
    /**
     * Interval of the sweep that finds changed account registrations if the broadcast of a change
     * was lost.
     */
    accountsSweepMs: duration(env, 'SVC_WORKER_ACCOUNTS_SWEEP', { fallback: 5_000, min: 100 }),
    /** Delay before an account's second connection attempt; doubles up to `reconnectMaxMs`. */
    reconnectMinMs: duration(env, 'SVC_RECONNECT_MIN', { fallback: 2_000, min: 10 }),
    reconnectMaxMs: duration(env, 'SVC_RECONNECT_MAX', { fallback: 600_000, min: 10 }),
    /**
     * Duration from which the account states `connecting` and `syncing` are stored for an account
     * that has synced before. Shorter states are not stored.
     */
    transientStateMs: duration(env, 'SVC_TRANSIENT_STATE_DELAY', { fallback: 5_000, min: 100 }),
    /** Period of rejected credentials after which syncing of the account is disabled. */
    maxAuthFailureMs: duration(env, 'SVC_MAX_IMAP_AUTH_FAILURE_TIME', {
      fallback: 3 * 86_400_000,
      min: 1_000,
    }),
    ...readMailSystemConfig(env),
    /** Maximum protocol log lines that are stored per account. */
    logLines: integer(env, 'SVC_ACCOUNT_LOG_LINES', { fallback: 10_000, min: 100, max: 1_000_000 }),
    /**
     * Retention of rows in the table `account_changes`. A reader of the table that is down for
     * longer may miss changes.
     */
    changesKeepMs: duration(env, 'SVC_CHANGES_KEEP', { fallback: 86_400_000, min: 60_000 }),
    /** Networks in which the HTTP proxy that the settings name must not be. */
    proxyEgressPolicy: egressPolicy('SVC_PROXY_EGRESS_POLICY'),
    /** Networks that must not contain mail servers. */
    mailEgressPolicy: egressPolicy('SVC_MAIL_EGRESS_POLICY'),
    /** Ports to which connections to mail servers are allowed. */
    mailPorts: readMailPorts(env, service),
    /** Networks that must not contain the HTTP servers of mail providers. */
    oauthEgressPolicy: egressPolicy('SVC_OAUTH_EGRESS_POLICY'),
    /** Origins that replace the origins of mail providers in tests. */
    providerOrigins: readProviderOrigins(env),
    /** Rate limits of requests to mail providers. The limits apply to all processes together. */
    providerLimits: readProviderLimits(env),
    /** Limits of exports (files with messages of an account). */
    exports: {
      ...readExportConfig(env),
      /** Time for which an export waits for a mail server that cannot be used. */
      maxUnavailableMs: duration(env, 'SVC_EXPORT_PATIENCE', { fallback: 6 * 3_600_000, min: 100 }),
    },
    reader: readReaderConfig(env),
    summaries: {
      /** Timeout for generating the summary of one message, including the wait for a permit. */
      timeoutMs: duration(env, 'SVC_OPENAI_TIMEOUT', { fallback: 20_000, min: 100, max: 300_000 }),
      /** Maximum concurrent requests to the endpoint that generates message summaries. */
      concurrency: integer(env, 'SVC_OPENAI_CONCURRENCY', { fallback: 10, min: 1, max: 1_000 }),
      /** Networks that must not contain the endpoint that generates message summaries. */
      egressPolicy: egressPolicy('SVC_OPENAI_EGRESS_POLICY'),
    },
  }
}

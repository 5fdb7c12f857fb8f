import { readProviderLimits } from '@posthorn/backends/provider-limits-config'
import { duration, type Env, integer, oneOf } from '@posthorn/config'
import { readReaderConfig } from '@posthorn/message-reader'
import { egressPolicies } from '@posthorn/net/egress'
import { readExportConfig } from '@posthorn/service/export-config'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'
import { readMailPorts } from '@posthorn/service/mail-ports-config'
import { readServiceConfig } from '@posthorn/service/service-config'

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
    /** Limits of logins at mail servers. */
    logins: {
      /**
       * Maximum concurrent logins per host name and per IP address of a mail server. A third of
       * these logins is reserved for commands.
       */
      perHost: integer(env, 'SVC_LOGINS_PER_HOST', { fallback: 15, min: 1, max: 1_000 }),
      /** Maximum logins started per second at one host name or IP address of a mail server. */
      perSecond: integer(env, 'SVC_LOGINS_PER_SECOND', { fallback: 50, min: 1, max: 10_000 }),
      /** Maximum concurrent logins at all mail servers together. */
      concurrent: integer(env, 'SVC_LOGINS_AT_ONCE', { fallback: 200, min: 1, max: 10_000 }),
    },
    /** Timeout for connecting and logging in to an IMAP server, for both steps together. */
    connectTimeoutMs: duration(env, 'SVC_IMAP_CONNECT_TIMEOUT', { fallback: 30_000, min: 100 }),
    /**
     * Minimum delay between a change of the account's mailboxes and a poll of the mailboxes that no
     * connection to the IMAP server watches.
     */
    mailboxPollMs: duration(env, 'SVC_QUICK_ROUND_INTERVAL', { fallback: 12_000, min: 100 }),
    /**
     * Period during which an IMAP server must list fewer messages of a mailbox than it counts
     * before the sync accepts the shorter list.
     */
    shortListMs: 10 * 60_000,
    /**
     * Maximum connections per account to its IMAP server for commands, in addition to the
     * connections used for syncing.
     */
    commandConnections: integer(env, 'SVC_COMMAND_CONNECTIONS', { fallback: 4, min: 1, max: 50 }),
    /** Mean poll interval of an account at a mail API whose provider sends no notifications. */
    apiPollMs: duration(env, 'SVC_API_POLL_INTERVAL', { fallback: 45_000, min: 100 }),
    /**
     * Mean poll interval of an account at a mail API whose provider sends notifications. Polls find
     * the changes of lost notifications.
     */
    apiPollNotifiedMs: duration(env, 'SVC_API_POLL_INTERVAL_WITH_PUSH', {
      fallback: 600_000,
      min: 100,
    }),
    /**
     * Maximum interval of polls of the inbox through a mail API if the provider loses
     * notifications.
     */
    apiPollInboxMs: duration(env, 'SVC_API_INBOX_POLL_INTERVAL', { fallback: 60_000, min: 100 }),
    /** Idle time after which a connection to an IMAP server for commands is closed. */
    commandIdleMs: duration(env, 'SVC_COMMAND_IDLE_TIME', { fallback: 30_000, min: 100 }),
    /** Maximum idle connections to IMAP servers for commands, of all accounts of a worker. */
    commandIdleConnections: integer(env, 'SVC_COMMAND_IDLE_CONNECTIONS', {
      fallback: 200,
      min: 1,
      max: 100_000,
    }),
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

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
 * Minimum timeout of a handoff. Other workers claim a shard up to one claim interval after its
 * release. With the default timeout other workers hold all shards within 2 s.
 */
const minHandoffMs = 500
/**
 * Time reserved after the handoff for servers that do not respond to LOGOUT, commands in progress,
 * and the clients.
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
     * Heartbeat interval, the same for all workers. Work stops after two missed heartbeats; other
     * workers claim the shards after three.
     */
    heartbeatMs: duration(env, 'SVC_WORKER_HEARTBEAT', { fallback: 5_000, min: 100, max: 60_000 }),
    /** Interval of shard claims and releases. */
    claimMs: duration(env, 'SVC_WORKER_CLAIM_INTERVAL', { fallback: 1_000, min: 50, max: 60_000 }),
    /** Time of a shard handoff at shutdown: the rest takes up to `afterHandoffMs`. */
    handoffMs: Math.max(minHandoffMs, service.shutdownTimeoutMs - afterHandoffMs),
    /** Interval of the sweep for changed registrations whose invalidation was lost. */
    accountsSweepMs: duration(env, 'SVC_WORKER_ACCOUNTS_SWEEP', { fallback: 5_000, min: 100 }),
    /** Delay before an account's second connection attempt; doubles up to `reconnectMaxMs`. */
    reconnectMinMs: duration(env, 'SVC_RECONNECT_MIN', { fallback: 2_000, min: 10 }),
    reconnectMaxMs: duration(env, 'SVC_RECONNECT_MAX', { fallback: 600_000, min: 10 }),
    /** Duration from which `connecting` and `syncing` of an account that has synced are stored. */
    transientStateMs: duration(env, 'SVC_TRANSIENT_STATE_DELAY', { fallback: 5_000, min: 100 }),
    /** Period of rejected credentials after which syncing of the account is disabled. */
    maxAuthFailureMs: duration(env, 'SVC_MAX_IMAP_AUTH_FAILURE_TIME', {
      fallback: 3 * 86_400_000,
      min: 1_000,
    }),
    /** Limits of logins at mail servers. */
    logins: {
      /** Concurrent logins at one host name, and at one IP address. Commands get a third. */
      perHost: integer(env, 'SVC_LOGINS_PER_HOST', { fallback: 15, min: 1, max: 1_000 }),
      /** Logins started per second at one host name or IP address. */
      perSecond: integer(env, 'SVC_LOGINS_PER_SECOND', { fallback: 50, min: 1, max: 10_000 }),
      /** Concurrent logins at all servers together. */
      concurrent: integer(env, 'SVC_LOGINS_AT_ONCE', { fallback: 200, min: 1, max: 10_000 }),
    },
    /** Timeout of connecting to an IMAP server and logging in together. */
    connectTimeoutMs: duration(env, 'SVC_IMAP_CONNECT_TIMEOUT', { fallback: 30_000, min: 100 }),
    /** Minimum delay between a change and the poll of the mailboxes that are not watched. */
    mailboxPollMs: duration(env, 'SVC_QUICK_ROUND_INTERVAL', { fallback: 12_000, min: 100 }),
    /**
     * Time for which lists of an IMAP mailbox must have fewer messages than the server counts
     * before the lists are accepted.
     */
    shortListMs: 10 * 60_000,
    /** Maximum command connections per account, in addition to connections that sync. */
    commandConnections: integer(env, 'SVC_COMMAND_CONNECTIONS', { fallback: 4, min: 1, max: 50 }),
    /** Mean interval of polls of a mail API without notifications of the provider. */
    apiPollMs: duration(env, 'SVC_API_POLL_INTERVAL', { fallback: 45_000, min: 100 }),
    /** Mean poll interval of a mail API that sends notifications, of which some get lost. */
    apiPollNotifiedMs: duration(env, 'SVC_API_POLL_INTERVAL_WITH_PUSH', {
      fallback: 600_000,
      min: 100,
    }),
    /** Maximum interval of polls of the inbox if the provider loses notifications. */
    apiPollInboxMs: duration(env, 'SVC_API_INBOX_POLL_INTERVAL', { fallback: 60_000, min: 100 }),
    /** Idle time after which a command connection is closed. */
    commandIdleMs: duration(env, 'SVC_COMMAND_IDLE_TIME', { fallback: 30_000, min: 100 }),
    /** Maximum idle command connections of all accounts of a worker. */
    commandIdleConnections: integer(env, 'SVC_COMMAND_IDLE_CONNECTIONS', {
      fallback: 200,
      min: 1,
      max: 100_000,
    }),
    /** Maximum protocol log lines per account. */
    logLines: integer(env, 'SVC_ACCOUNT_LOG_LINES', { fallback: 10_000, min: 100, max: 1_000_000 }),
    /** Retention of `account_changes`: the longest outage of a reader of the changes. */
    changesKeepMs: duration(env, 'SVC_CHANGES_KEEP', { fallback: 86_400_000, min: 60_000 }),
    /** Networks that the HTTP proxy of the settings must not be in. */
    proxyEgressPolicy: egressPolicy('SVC_PROXY_EGRESS_POLICY'),
    /** Networks that mail servers must not be in. */
    mailEgressPolicy: egressPolicy('SVC_MAIL_EGRESS_POLICY'),
    /** Ports that mail servers may have. */
    mailPorts: readMailPorts(env, service),
    /** Networks of providers that are called over HTTP. */
    oauthEgressPolicy: egressPolicy('SVC_OAUTH_EGRESS_POLICY'),
    /** Origins of providers that tests replace. */
    providerOrigins: readProviderOrigins(env),
    /** Limits of requests to mail providers, for all processes together. */
    providerLimits: readProviderLimits(env),
    /** Limits of exports. */
    exports: {
      ...readExportConfig(env),
      /** Time for which an export waits for a mail server that cannot be used. */
      maxUnavailableMs: duration(env, 'SVC_EXPORT_PATIENCE', { fallback: 6 * 3_600_000, min: 100 }),
    },
    reader: readReaderConfig(env),
    summaries: {
      /** Timeout of one summary, including the wait for a permit. */
      timeoutMs: duration(env, 'SVC_OPENAI_TIMEOUT', { fallback: 20_000, min: 100, max: 300_000 }),
      /** Maximum concurrent requests for summaries. */
      concurrency: integer(env, 'SVC_OPENAI_CONCURRENCY', { fallback: 10, min: 1, max: 1_000 }),
      /** Networks that the endpoint of summaries must not be in. */
      egressPolicy: egressPolicy('SVC_OPENAI_EGRESS_POLICY'),
    },
  }
}

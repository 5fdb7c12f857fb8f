import { duration, type Env, integer, oneOf } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'

export interface Config extends ServiceConfig {
  /**
   * Heartbeat interval, the same for all workers. Work stops after two missed heartbeats; other
   * workers claim the shards after three.
   */
  readonly heartbeatMs: number
  /** Interval of shard claims and releases. */
  readonly claimMs: number
  /** Interval of the sweep for changed registrations whose invalidation was lost. */
  readonly accountsSweepMs: number
  /** Delay before the second connection attempt; doubles up to `reconnectMaxMs`. */
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
  /** Period of rejected credentials after which syncing of the account is disabled. */
  readonly maxAuthFailureMs: number
  readonly logins: LoginLimits
  /** Timeout of connecting and logging in together. */
  readonly connectTimeoutMs: number
  /** Minimum delay between a change and the poll of the mailboxes that are not watched. */
  readonly mailboxPollMs: number
  /** Maximum command connections per account, in addition to those that sync. */
  readonly commandConnections: number
  /** Idle time after which a command connection is closed. */
  readonly commandIdleMs: number
  /** Maximum protocol log lines per account. */
  readonly logLines: number
  /** Retention of `account_changes`, the longest outage of a reader. */
  readonly changesKeepMs: number
  /** Networks that mail servers must not be in. */
  readonly mailEgressPolicy: EgressPolicy
  /** Networks that the HTTP proxy of the settings must not be in. */
  readonly proxyEgressPolicy: EgressPolicy
  readonly summaries: SummariesConfig
}

/** Limits of logins at mail servers. */
export interface LoginLimits {
  /** Concurrent logins at one host name, and at one IP address. */
  readonly perHost: number
  /** Logins started per second at one host name or IP address. */
  readonly perSecond: number
  /** Concurrent logins at all servers together. */
  readonly concurrent: number
}

export interface SummariesConfig {
  /** Timeout of one summary, including the wait for a permit. */
  readonly timeoutMs: number
  /** Maximum concurrent requests. */
  readonly concurrency: number
  /** Networks that the endpoint must not be in. */
  readonly egressPolicy: EgressPolicy
}

export function readConfig(env: Env): Config {
  const egressPolicy = (name: string) =>
    oneOf(env, name, { values: egressPolicies, fallback: 'link-local' })
  return {
    ...readServiceConfig(env, { port: 3002 }),
    heartbeatMs: duration(env, 'SVC_WORKER_HEARTBEAT', { fallback: 5_000, min: 100, max: 60_000 }),
    claimMs: duration(env, 'SVC_WORKER_CLAIM_INTERVAL', { fallback: 1_000, min: 50, max: 60_000 }),
    accountsSweepMs: duration(env, 'SVC_WORKER_ACCOUNTS_SWEEP', { fallback: 5_000, min: 100 }),
    reconnectMinMs: duration(env, 'SVC_RECONNECT_MIN', { fallback: 2_000, min: 10 }),
    reconnectMaxMs: duration(env, 'SVC_RECONNECT_MAX', { fallback: 600_000, min: 10 }),
    maxAuthFailureMs: duration(env, 'SVC_MAX_IMAP_AUTH_FAILURE_TIME', {
      fallback: 3 * 86_400_000,
      min: 1_000,
    }),
    logins: {
      perHost: integer(env, 'SVC_LOGINS_PER_HOST', { fallback: 10, min: 1, max: 1_000 }),
      perSecond: integer(env, 'SVC_LOGINS_PER_SECOND', { fallback: 50, min: 1, max: 10_000 }),
      concurrent: integer(env, 'SVC_LOGINS_AT_ONCE', { fallback: 200, min: 1, max: 10_000 }),
    },
    connectTimeoutMs: duration(env, 'SVC_IMAP_CONNECT_TIMEOUT', { fallback: 30_000, min: 100 }),
    mailboxPollMs: duration(env, 'SVC_QUICK_ROUND_INTERVAL', { fallback: 12_000, min: 100 }),
    commandConnections: integer(env, 'SVC_COMMAND_CONNECTIONS', { fallback: 4, min: 1, max: 50 }),
    commandIdleMs: duration(env, 'SVC_COMMAND_IDLE_TIME', { fallback: 60_000, min: 100 }),
    logLines: integer(env, 'SVC_ACCOUNT_LOG_LINES', { fallback: 10_000, min: 100, max: 1_000_000 }),
    changesKeepMs: duration(env, 'SVC_CHANGES_KEEP', { fallback: 86_400_000, min: 60_000 }),
    proxyEgressPolicy: egressPolicy('SVC_PROXY_EGRESS_POLICY'),
    mailEgressPolicy: egressPolicy('SVC_MAIL_EGRESS_POLICY'),
    summaries: {
      timeoutMs: duration(env, 'SVC_OPENAI_TIMEOUT', { fallback: 20_000, min: 100, max: 300_000 }),
      concurrency: integer(env, 'SVC_OPENAI_CONCURRENCY', { fallback: 10, min: 1, max: 1_000 }),
      egressPolicy: egressPolicy('SVC_OPENAI_EGRESS_POLICY'),
    },
  }
}

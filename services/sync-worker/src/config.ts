import { duration, type Env, integer, oneOf } from '@posthorn/config'
import { type EgressPolicy, egressPolicies } from '@posthorn/net'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service'
import type { LoginLimits } from './sessions/login-limiter.ts'

export interface Config extends ServiceConfig {
  /** Between heartbeats: work stops after two that did not get through, others take over after three. The same for all workers. */
  readonly heartbeatMs: number
  /** Between looks for shards to claim. */
  readonly claimMs: number
  /** Between looks for accounts that came, changed or went, when no invalidation told of them. */
  readonly accountsSweepMs: number
  /** Between the first attempts to connect; doubles up to `reconnectMaxMs`. */
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
  /** How long refused credentials are tried before syncing of the account is switched off. */
  readonly maxAuthFailureMs: number
  /** Logins at mail servers: at the same time, and how fast one after the other. */
  readonly logins: LoginLimits
  /** For connecting and logging in together. */
  readonly connectTimeoutMs: number
  /** After something came into the inbox: how soon, at the earliest, the other folders are looked at again. */
  readonly mailboxPollMs: number
  /** Connections for commands an account may have beside those that sync. */
  readonly commandConnections: number
  /** How long a connection for commands is kept without one. */
  readonly commandIdleMs: number
  /** Lines kept of the protocol log of an account that has it switched on. */
  readonly logLines: number
  /** How long changes of states are kept for those who follow them and were away. */
  readonly changesKeepMs: number
  /** Where mail servers may be. */
  readonly mailEgressPolicy: EgressPolicy
  /** Where the proxy of the settings for HTTP may be. */
  readonly proxyEgressPolicy: EgressPolicy
  readonly summaries: SummariesConfig
}

export interface SummariesConfig {
  /** For one summary, waiting for its turn included. */
  readonly timeoutMs: number
  /** Asked for at the same time. */
  readonly concurrency: number
  /** Where the endpoint may be. */
  readonly egressPolicy: EgressPolicy
}

export function readConfig(env: Env): Config {
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
    proxyEgressPolicy: oneOf(env, 'SVC_PROXY_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    mailEgressPolicy: oneOf(env, 'SVC_MAIL_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    summaries: {
      timeoutMs: duration(env, 'SVC_OPENAI_TIMEOUT', { fallback: 20_000, min: 100, max: 300_000 }),
      concurrency: integer(env, 'SVC_OPENAI_CONCURRENCY', { fallback: 10, min: 1, max: 1_000 }),
      egressPolicy: oneOf(env, 'SVC_OPENAI_EGRESS_POLICY', {
        values: egressPolicies,
        fallback: 'link-local',
      }),
    },
  }
}

import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProviderLimitTable } from '@posthorn/backends/provider-limits'
import { readProviderLimits } from '@posthorn/backends/provider-limits-config'
import { duration, type Env, integer, oneOf, optional } from '@posthorn/config'
import { egressPolicies, type EgressPolicy } from '@posthorn/net/egress'
import type { OriginMap } from '@posthorn/net/origin-map'
import { readMailPorts } from '@posthorn/service/mail-ports-config'
import { readProviderOrigins } from '@posthorn/service/provider-origins-config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'
import type { AttemptTiming } from './attempt/run-attempt.ts'
import type { LaneLimits } from './dispatch/lane-limiter.ts'
import type { SmtpLimits } from './transports/smtp/smtp-session.ts'

export interface Config extends ServiceConfig, Readonly<AttemptTiming> {
  /** Timeout of a credentials request to auth-bridge, including its upstream calls. */
  readonly credentialsMs: number
  /**
   * Maximum time for which an unavailable Sent mailbox delays a message that an earlier attempt may
   * have sent.
   */
  readonly findSentMs: number
  readonly lanes: LaneLimits
  /**
   * Poll interval of the outbox (messages to send). A hint about a new submission starts the next
   * poll earlier.
   */
  readonly sweepMs: number
  /** Time for which outbox rows are kept after their submission (request to send) has finished. */
  readonly keepFinishedMs: number
  readonly smtp: SmtpLimits
  /**
   * Directory of the journal of accepted messages. The directory must survive a restart of the
   * process.
   */
  readonly journalFolder: string
  /** Limits of requests to mail providers, for all processes together. */
  readonly providerLimits: ProviderLimitTable
  /**
   * Egress policy for calls to mail providers over HTTP: networks in which the called servers must
   * not be. `proxyEgressPolicy` is the policy for the HTTP proxy of the settings.
   */
  readonly oauthEgressPolicy: EgressPolicy
  readonly proxyEgressPolicy: EgressPolicy
  /** Replacements for the origins of mail providers, used by tests. */
  readonly providerOrigins: OriginMap
}

const minute = 60_000

export function readConfig(env: Env): Config {
  const service = readServiceConfig(env, {
    service: 'sender',
    port: 3003,
    shutdownTimeoutMs: 90_000,
  })
  return {
    ...service,
    lanes: {
      concurrency: integer(env, 'SVC_SENDER_CONCURRENCY', { fallback: 50, min: 1, max: 1_000 }),
      perAccount: integer(env, 'SVC_SENDER_PER_ACCOUNT', { fallback: 5, min: 1, max: 100 }),
      perHost: integer(env, 'SVC_SENDER_PER_HOST', { fallback: 10, min: 1, max: 1_000 }),
      maxBytes: 256 * 1024 * 1024,
    },
    retryBaseMs: duration(env, 'SVC_SENDER_RETRY_BASE', { fallback: 5_000, min: 1 }),
    sweepMs: duration(env, 'SVC_SENDER_SWEEP', { fallback: 1_000, min: 10 }),
    leaseMs: duration(env, 'SVC_SENDER_LEASE', { fallback: minute, min: 200 }),
    credentialsMs: duration(env, 'SVC_SENDER_CREDENTIALS_TIMEOUT', { fallback: 10_000, min: 1 }),
    findSentMs: duration(env, 'SVC_SENDER_FIND_SENT_TIMEOUT', { fallback: minute, min: 1 }),
    keepFinishedMs: duration(env, 'SVC_SENDER_KEEP_FINISHED', {
      fallback: 24 * 60 * minute,
      min: 0,
    }),
    journalFolder: optional(env, 'SVC_SENDER_JOURNAL') ?? defaultFolder(service.databaseUrl),
    providerLimits: readProviderLimits(env),
    oauthEgressPolicy: egressPolicy(env, 'SVC_OAUTH_EGRESS_POLICY'),
    proxyEgressPolicy: egressPolicy(env, 'SVC_PROXY_EGRESS_POLICY'),
    providerOrigins: readProviderOrigins(env),
    // Defaults of the SMTP timeouts. RFC 5321 §4.5.3.2 demands minutes per command, but submission
    // servers reply far sooner.
    smtp: {
      egress: egressPolicy(env, 'SVC_MAIL_EGRESS_POLICY'),
      mailPorts: readMailPorts(env, service),
      connectMs: duration(env, 'SVC_SMTP_CONNECT_TIMEOUT', { fallback: minute / 2, min: 1 }),
      greetingMs: duration(env, 'SVC_SMTP_GREETING_TIMEOUT', { fallback: minute, min: 1 }),
      commandMs: duration(env, 'SVC_SMTP_COMMAND_TIMEOUT', { fallback: minute, min: 1 }),
      dataMs: duration(env, 'SVC_SMTP_DATA_TIMEOUT', { fallback: 10 * minute, min: 1 }),
      idleMs: 10_000,
      maxMessages: 100,
    },
  }
}

/** Directory of the acceptance journals, which the senders of the same database share. */
function defaultFolder(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl)
  const database = createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 16)
  return join(tmpdir(), `posthorn-sender-${database}`)
}

function egressPolicy(env: Env, name: string): EgressPolicy {
  return oneOf(env, name, { values: egressPolicies, fallback: 'link-local' })
}

import { backoff } from '@posthorn/flow'
import type { Config } from '../config.ts'

/**
 * Computes the delay before an account's next connection attempt: none before the first attempt,
 * then doubling. Up to half of the delay is subtracted at random, so that the accounts of a server
 * do not reconnect at the same time.
 */
export function reconnectDelayMs(
  attempts: number,
  config: Pick<Config, 'reconnectMinMs' | 'reconnectMaxMs'>,
  random?: () => number,
): number {
  const { reconnectMinMs: baseMs, reconnectMaxMs: maxMs } = config
  return backoff({ baseMs, maxMs, jitter: 0.5 })(attempts, random)
}

/**
 * Duration from which an account's mail connection counts as stable, so that its loss is an
 * accident. A server may be rejecting the account if connections are shorter.
 */
const stableMs = 60_000
/**
 * Maximum attempt count for reconnects of an account after short mail connections with a full sync
 * pass. Delays are 2, 4, 8, 16 and 32 s.
 */
const maxAfterSync = 5
/**
 * Maximum attempt count for reconnects of an account after mail connections on which the sync made
 * progress. The delay is 2 s.
 */
const maxAfterProgress = 1
/**
 * Maximum attempt count for reconnects of an account after internal failures of this system, which
 * are short. Delays are 2, 4 and 8 s.
 */
const maxAfterInternalFailure = 3

/** Outcome of an account's connection, or of a failed attempt to connect. */
export interface ConnectionOutcome {
  /** True if a full sync pass of the account ended over the connection. */
  synced: boolean
  connectedMs: number
  /**
   * True if the sync of the account made progress over the connection before the connection was
   * lost.
   */
  progressed?: boolean
  /**
   * True if a change by this worker, such as the deletion of a mailbox, ended the account's
   * connection.
   */
  isOwnLoss?: boolean
  /**
   * True for connection failures caused by Postgres, RabbitMQ or auth-bridge. The mail server of
   * the account is not the cause.
   */
  internalFailure: boolean
}

/**
 * Computes the number of connection attempts for the reconnect backoff of an account. Only a
 * connection with a full sync pass resets the number, because a server may accept logins and then
 * drop the connection.
 */
export function nextAttemptCount(attempts: number, outcome: ConnectionOutcome): number {
  if (outcome.internalFailure) return Math.min(attempts + 1, maxAfterInternalFailure)
  if (outcome.isOwnLoss) return outcome.synced ? 0 : attempts
  if (outcome.progressed) return Math.min(attempts + 1, maxAfterProgress)
  if (!outcome.synced) return attempts + 1
  return outcome.connectedMs >= stableMs ? 0 : Math.min(attempts + 1, maxAfterSync)
}

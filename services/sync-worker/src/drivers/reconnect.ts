import { backoff } from '@posthorn/flow'
import type { Config } from '../config.ts'

/**
 * Delay before an account's next connection attempt: none before the first attempt, then doubling.
 * Up to half of the delay is subtracted at random, so that the accounts of a server do not
 * reconnect at the same time.
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
 * Minimum duration of a connection that was lost by accident. Shorter connections may be rejected.
 */
const stableMs = 60_000
/** Maximum attempts counted for short connections that synced: delays of 2, 4, 8, 16, 32 s. */
const maxAfterSync = 5
/** Maximum attempts counted for connections that brought the sync forward: a delay of 2 s. */
const maxAfterProgress = 1
/** Maximum attempts counted for internal failures, which are short: delays of 2, 4, 8 s. */
const maxAfterInternalFailure = 3

/** Outcome of an account's connection or of an attempt to connect. */
export interface ConnectionOutcome {
  /** True if a full sync pass ended over the connection. */
  synced: boolean
  connectedMs: number
  /** True if the connection brought the sync forward although it was lost. */
  progressed?: boolean
  /** True if a change by this worker ended the connection, such as the deletion of a mailbox. */
  isOwnLoss?: boolean
  /**
   * True for failures of Postgres, RabbitMQ or auth-bridge, which are not failures of the server.
   */
  internalFailure: boolean
}

/**
 * Number of connection attempts for the reconnect backoff. Only a connection that synced resets the
 * number: a login alone proves little.
 */
export function nextAttemptCount(attempts: number, outcome: ConnectionOutcome): number {
  if (outcome.internalFailure) return Math.min(attempts + 1, maxAfterInternalFailure)
  if (outcome.isOwnLoss) return outcome.synced ? 0 : attempts
  if (outcome.progressed) return Math.min(attempts + 1, maxAfterProgress)
  if (!outcome.synced) return attempts + 1
  return outcome.connectedMs >= stableMs ? 0 : Math.min(attempts + 1, maxAfterSync)
}

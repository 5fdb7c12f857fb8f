export interface Backoff {
  /** Before the second attempt. */
  readonly minMs: number
  readonly maxMs: number
}

/**
 * Milliseconds until the next attempt: none before the first, then doubling from `minMs` to `maxMs`, each shortened by up to a half at
 * random, so that the accounts of a server that comes back do not all knock at once.
 */
export function reconnectDelayMs(
  attempt: number,
  { minMs, maxMs }: Backoff,
  random: number,
): number {
  if (attempt <= 0) return 0
  const full = Math.min(maxMs, minMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(full * (1 - random / 2))
}

/** How long a connection must have served before its loss counts as an accident and not as the server's way to say no. */
const stableMs = 60_000
/** Losses of short-lived connections that could sync stop growing here: 2, 4, 8, 16, 32 s. */
const maxAfterSync = 5
/** Trouble of our own is over soon, and then all accounts should go on: 2, 4, 8 s. */
const maxForUs = 3

/** What ended a connection, or kept it from being made. */
export interface ConnectionOutcome {
  /** All mailboxes were looked at. */
  synced: boolean
  connectedMs: number
  /** The trouble was ours (Postgres, RabbitMQ, auth-bridge): the server is not to be spared for it. */
  internalFailure: boolean
}

/** How many attempts a lost connection counts for. Only one that could sync resets the count: a login alone proves little. */
export function nextAttemptCount(attempts: number, life: ConnectionOutcome): number {
  if (life.internalFailure) return Math.min(attempts + 1, maxForUs)
  if (!life.synced) return attempts + 1
  return life.connectedMs >= stableMs ? 0 : Math.min(attempts + 1, maxAfterSync)
}

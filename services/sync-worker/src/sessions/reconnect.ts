import { AppError } from '@posthorn/errors'

export interface Backoff {
  /** Before the second attempt. */
  readonly minMs: number
  readonly maxMs: number
}

/**
 * Milliseconds until the next attempt: none before the first, then doubling from `minMs` to `maxMs`, each shortened by up to a half at
 * random, so that the accounts of a server that comes back do not all knock at once.
 */
export function waitBefore(attempt: number, { minMs, maxMs }: Backoff, random: number): number {
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
export interface Life {
  /** All mailboxes were looked at. */
  synced: boolean
  livedMs: number
  /** The trouble was ours (Postgres, RabbitMQ, auth-bridge): the server is not to be spared for it. */
  ours: boolean
}

/** How many attempts a lost connection counts for. Only one that could sync resets the count: a login alone proves little. */
export function attemptsAfter(attempts: number, life: Life): number {
  if (life.ours) return Math.min(attempts + 1, maxForUs)
  if (!life.synced) return attempts + 1
  return life.livedMs >= stableMs ? 0 : Math.min(attempts + 1, maxAfterSync)
}

/** Lets so many log in at the same host at the same time. */
export interface LoginLimiter {
  /** Waits for a turn; call what it returns when the login is through. Rejects when the signal aborts. */
  enter(host: string, signal: AbortSignal): Promise<() => void>
}

export function limitLogins(perHost: number): LoginLimiter {
  const hosts = new Map<string, { busy: number; waiting: (() => void)[] }>()
  const leave = (host: string) => {
    const at = hosts.get(host)
    if (!at) return
    const next = at.waiting.shift()
    if (next) next()
    else if (--at.busy === 0) hosts.delete(host)
  }
  return {
    async enter(host, signal) {
      signal.throwIfAborted()
      const at = hosts.get(host) ?? { busy: 0, waiting: [] }
      hosts.set(host, at)
      if (at.busy < perHost) at.busy++
      else await turn(at.waiting, signal)
      return once(() => leave(host))
    },
  }
}

function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const go = () => {
    signal.removeEventListener('abort', giveUp)
    resolve()
  }
  const giveUp = () => {
    waiting.splice(waiting.indexOf(go), 1)
    reject(
      new AppError('unavailable', 'Gave up waiting for a turn to log in', { cause: signal.reason }),
    )
  }
  waiting.push(go)
  signal.addEventListener('abort', giveUp, { once: true })
  return promise
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}

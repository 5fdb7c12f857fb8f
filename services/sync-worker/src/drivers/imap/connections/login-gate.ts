import { type Clock, RateLimiter } from '@posthorn/flow'

/**
 * Purpose of a login at a mail server: a command, an account session, or another connection for
 * syncs.
 */
export type LoginFor = 'command' | AccountDemand | 'sync'

export interface LoginGateOptions {
  /**
   * Maximum concurrent mail logins that the login gate permits: at a host or address, or at all
   * servers.
   */
  capacity: number
  /**
   * Mail logins that the login gate starts per second. A function is evaluated at each login.
   * Default: no limit.
   */
  perSecond?: number | (() => number)
  clock?: Clock
}

export interface LoginWait {
  signal: AbortSignal
  loginFor: LoginFor
  /** Called if the login at the mail server has to wait for a permit. */
  onWait?: (() => void) | undefined
}

/**
 * Share of the concurrent logins that is reserved for commands. Without this share, slow logins of
 * account sessions could take all permits, and commands would wait until a session's login ends.
 */
const commandPart = 1 / 3
/**
 * Number of logins for commands that start per login for an account session, while logins of both
 * kinds wait.
 */
const commandsPerSession = 2
/**
 * Time by which a mail login may start before the rate limit permits, to compensate for late
 * timers.
 */
const toleranceMs = 50

/**
 * Queues of waiting logins, each FIFO, in order of priority: commands, then the sessions of
 * accounts for which commands wait (`demanded`), then other sessions.
 */
type Lane = 'commands' | 'demanded' | 'others'

type Kind = 'commands' | 'sessions'

interface Waiter {
  readonly admit: (permit: Disposable) => void
}

/**
 * Limits the logins at one host or address of mail servers. If both commands and account sessions
 * wait, two of three logins are for commands. Sessions of accounts for which commands wait come
 * before other sessions.
 */
export class LoginGate {
  readonly #capacity: number
  readonly #maxSessions: number
  readonly #pace: RateLimiter | undefined
  readonly #lanes: Readonly<Record<Lane, Set<Waiter>>> = {
    commands: new Set(),
    demanded: new Set(),
    others: new Set(),
  }
  readonly #running = { commands: 0, sessions: 0 }
  /** Number of logins for commands since the last login for an account session. */
  #commandsInRow = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ capacity, perSecond, clock }: LoginGateOptions) {
    this.#capacity = capacity
    this.#maxSessions = Math.max(1, capacity - Math.ceil(capacity * commandPart))
    if (perSecond !== undefined)
      this.#pace = new RateLimiter({ perSecond, toleranceMs, ...(clock && { clock }) })
  }

  /** True if no login is running or waiting. An idle login gate may be deleted. */
  get isIdle(): boolean {
    const { commands, sessions } = this.#running
    return commands + sessions === 0 && !this.#isWaiting('commands', 'demanded', 'others')
  }

  /**
   * Waits for a permit to log in at a mail server. Takes a free permit synchronously. The caller
   * must dispose the permit after the login.
   */
  acquire({ signal, loginFor, onWait }: LoginWait): Promise<Disposable> {
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    const demand = loginFor instanceof AccountDemand ? loginFor : undefined
    return new Promise((resolve, reject) => {
      let isAdmitted = false
      const waiting = new DisposableStack()
      const waiter: Waiter = {
        admit(permit) {
          isAdmitted = true
          waiting.dispose()
          resolve(permit)
        },
      }
      const onAbort = () => {
        for (const lane of Object.values(this.#lanes)) lane.delete(waiter)
        waiting.dispose()
        reject(signal.reason as Error)
        this.#admit()
      }
      this.#lanes[laneOf(loginFor)].add(waiter)
      this.#admit()
      if (isAdmitted) return
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.defer(() => signal.removeEventListener('abort', onAbort))
      if (demand) waiting.use(demand.onAsk(() => this.#prefer(waiter)))
      onWait?.()
    })
  }

  /** Moves a waiting login to the queue `demanded`, because a command arrived for its account. */
  #prefer(waiter: Waiter): void {
    if (this.#lanes.others.delete(waiter)) this.#lanes.demanded.add(waiter)
  }

  #isWaiting(...lanes: Lane[]): boolean {
    return lanes.some((lane) => this.#lanes[lane].size > 0)
  }

  #admit(): void {
    clearTimeout(this.#timer)
    for (let kind = this.#next(); kind; kind = this.#next()) {
      const delayMs = this.#pace?.delayMs ?? 0
      if (delayMs > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.ceil(delayMs))
        return
      }
      this.#start(kind)
    }
  }

  /**
   * Selects the kind of the next mail login to start. Undefined if no waiting login may start now.
   */
  #next(): Kind | undefined {
    const { commands, sessions } = this.#running
    if (commands + sessions >= this.#capacity) return undefined
    const isSessionNext = this.#isWaiting('demanded', 'others') && sessions < this.#maxSessions
    if (!this.#isWaiting('commands')) return isSessionNext ? 'sessions' : undefined
    return isSessionNext && this.#commandsInRow >= commandsPerSession ? 'sessions' : 'commands'
  }

  #start(kind: Kind): void {
    const { commands, demanded, others } = this.#lanes
    const lane = kind === 'commands' ? commands : demanded.size > 0 ? demanded : others
    const [waiter] = lane
    if (!waiter) return
    lane.delete(waiter)
    this.#pace?.take()
    this.#commandsInRow = kind === 'commands' ? this.#commandsInRow + 1 : 0
    this.#running[kind]++
    waiter.admit(this.#permit(kind))
  }

  #permit(kind: Kind): Disposable {
    const permit = new DisposableStack()
    permit.defer(() => {
      this.#running[kind]--
      this.#admit()
    })
    return permit
  }
}

function laneOf(loginFor: LoginFor): Lane {
  if (loginFor === 'command') return 'commands'
  return loginFor !== 'sync' && loginFor.isAsked ? 'demanded' : 'others'
}

/**
 * Records whether commands wait for an account. If commands wait, the session of the account logs
 * in before the sessions of other accounts.
 */
export class AccountDemand {
  readonly #listeners = new Set<() => void>()
  #isAsked = false

  get isAsked(): boolean {
    return this.#isAsked
  }

  /**
   * Called when a command arrives for the account, so that the account's session logs in earlier.
   */
  ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    for (const listener of this.#listeners) listener()
  }

  /** Called when the session of the account has logged in. */
  clear(): void {
    this.#isAsked = false
  }

  /**
   * Adds a listener that is called when a command arrives for the account. Disposal removes the
   * listener.
   */
  onAsk(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

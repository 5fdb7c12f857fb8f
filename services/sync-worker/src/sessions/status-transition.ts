import type { AccountState, LastError } from '@posthorn/contracts'
import type { SyncError } from '@posthorn/db'

/** What is stored about how an account is doing. */
export interface AccountStatus {
  readonly state: AccountState
  /** Raised by every change of `state` and every event. */
  readonly stateEpoch: number
  readonly lastError: LastError | null
  /** Equal failures in a row. */
  readonly errorCount: number
  readonly authFailingSince: Date | null
  readonly authFailureDisabledAt: Date | null
  /** The registration this belongs to. */
  readonly accountVersion: string
  readonly initializedAt: Date | null
  readonly syncTime: Date | null
  /** The last mailbox that could not be looked at, until all could. */
  readonly syncError: SyncError | null
}

export type StatusTrigger =
  /** A worker takes the account up. `enabled`: there is a server to connect to. */
  | { kind: 'starting'; version: string; enabled: boolean }
  | { kind: 'loggedIn'; user: string }
  /** All folders were looked at, or all but some: `trouble` is the last of those. */
  | { kind: 'synced'; trouble?: Omit<SyncError, 'time'> }
  /** A connection that worked is gone, and cannot be replaced at once. */
  | { kind: 'lost' }
  /** `unsure`: it may be the server's trouble as well. */
  | { kind: 'authFailed'; error: LastError; unsure?: true }
  | { kind: 'connectFailed'; error: LastError }

/** An event of a transition; `key` and the event's name tell this occurrence from others. */
export interface StateEvent {
  readonly event:
    | 'authenticationSuccess'
    | 'authenticationError'
    | 'connectError'
    | 'accountInitialized'
  readonly key: string
  readonly data: object
}

export interface Transition {
  readonly status: AccountStatus
  readonly events: readonly StateEvent[]
}

export interface TransitionContext {
  readonly now: Date
  /** How long refused credentials are tried again before syncing is switched off. */
  readonly maxAuthFailureMs: number
}

/** What an account's state becomes by what happened, and what is told of it. Interface spec, "Account states". Pure. */
export function transition(
  from: AccountStatus,
  happening: StatusTrigger,
  circumstances: TransitionContext,
): Transition {
  switch (happening.kind) {
    case 'starting':
      return { status: starting(from, happening), events: [] }
    case 'loggedIn':
      return loggedIn(from, happening.user)
    case 'synced':
      return synced(from, happening, circumstances.now)
    case 'lost':
      // Shown and not told: whether it is more than an accident, the next attempt says.
      return { status: from.state === 'connected' ? to(from, 'disconnected') : from, events: [] }
    case 'authFailed':
      return happening.unsure && isFirst(from)
        ? failed(from, 'connectError', happening.error)
        : authFailed(from, happening.error, circumstances)
    case 'connectFailed':
      return failed(from, 'connectError', happening.error)
  }
}

/** An answer that may mean refused credentials or an outage is believed to mean the first when it has come so often. */
const unsureTries = 3

function isFirst({ state, errorCount }: AccountStatus): boolean {
  return state !== 'authenticationError' && (state !== 'connectError' || errorCount < unsureTries)
}

function starting(
  from: AccountStatus,
  { version, enabled }: { version: string; enabled: boolean },
): AccountStatus {
  // A new registration gives an account that was switched off another chance.
  const renewed = version !== from.accountVersion
  const base = renewed
    ? { ...from, accountVersion: version, authFailureDisabledAt: null, authFailingSince: null }
    : from
  if (!enabled) return to({ ...base, lastError: null, errorCount: 0 }, 'unset')
  if (base.authFailureDisabledAt) return base
  return base.state === 'new' || base.state === 'unset'
    ? to({ ...base, lastError: null }, 'init')
    : base
}

function loggedIn(from: AccountStatus, user: string): Transition {
  const recovered = from.state === 'authenticationError' || from.authFailingSince !== null
  const well = { ...from, lastError: null, errorCount: 0, authFailingSince: null }
  const success = (key: string): StateEvent => ({
    event: 'authenticationSuccess',
    key,
    data: { user },
  })
  if (from.initializedAt === null) {
    const standing = to(well, 'init')
    // The first login of an account has one id, whatever went wrong between it and the end of the first sync.
    return {
      status: standing,
      events: [success(recovered ? String(standing.stateEpoch) : 'first')],
    }
  }
  // Initialized and `init`: syncing was switched off and is on again.
  if (recovered || from.state === 'init') {
    const standing = to(well, 'connected')
    return { status: standing, events: [success(String(standing.stateEpoch))] }
  }
  if (from.state === 'disconnected') return { status: to(well, 'connected'), events: [] }
  // After a connectError the account counts as connected once its folders could be looked at: a server that lets one in and then
  // drops the connection would make it change with every attempt.
  return { status: from.state === 'connectError' ? from : well, events: [] }
}

function synced(
  from: AccountStatus,
  { trouble }: { trouble?: Omit<SyncError, 'time'> },
  now: Date,
): Transition {
  const syncError = trouble ? { ...trouble, time: now.toISOString() } : null
  const standing = to(
    { ...from, lastError: null, errorCount: 0, syncTime: now, syncError },
    'connected',
  )
  if (from.initializedAt) return { status: standing, events: [] }
  return {
    status: { ...standing, initializedAt: now },
    events: [{ event: 'accountInitialized', key: 'first', data: { initialized: true } }],
  }
}

function authFailed(
  from: AccountStatus,
  error: LastError,
  { now, maxAuthFailureMs }: TransitionContext,
): Transition {
  const since = from.authFailingSince ?? now
  const refused = failed({ ...from, authFailingSince: since }, 'authenticationError', error)
  if (now.getTime() - since.getTime() < maxAuthFailureMs) return refused
  const description = 'Syncing was switched off: the server refused the credentials for too long'
  const standing = to(
    { ...refused.status, authFailureDisabledAt: now, lastError: { ...error, description } },
    'unset',
  )
  return {
    status: standing,
    events: [errorEvent('authenticationError', standing.stateEpoch, error)],
  }
}

function failed(
  from: AccountStatus,
  state: 'authenticationError' | 'connectError',
  error: LastError,
): Transition {
  if (from.state === state && sameFailure(from.lastError, error))
    return { status: { ...from, errorCount: from.errorCount + 1, lastError: error }, events: [] }
  const standing = {
    ...from,
    state,
    stateEpoch: from.stateEpoch + 1,
    lastError: error,
    errorCount: 1,
  }
  return { status: standing, events: [errorEvent(state, standing.stateEpoch, error)] }
}

function errorEvent(
  event: 'authenticationError' | 'connectError',
  epoch: number,
  { response = '', serverResponseCode, tokenRequest }: LastError,
): StateEvent {
  const told = event === 'authenticationError' && tokenRequest ? { tokenRequest } : {}
  const code = serverResponseCode === undefined ? {} : { serverResponseCode }
  const data = { response, ...code, ...told }
  return { event, key: String(epoch), data }
}

/** Servers put times and counters into their texts: where both failures have a code, the code decides. */
function sameFailure(before: LastError | null, now: LastError): boolean {
  if (before?.serverResponseCode !== undefined || now.serverResponseCode !== undefined)
    return before?.serverResponseCode === now.serverResponseCode
  return before?.response === now.response
}

function to(standing: AccountStatus, state: AccountState): AccountStatus {
  return standing.state === state
    ? standing
    : { ...standing, state, stateEpoch: standing.stateEpoch + 1 }
}

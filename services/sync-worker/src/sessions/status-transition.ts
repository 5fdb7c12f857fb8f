import { defined } from '@posthorn/contracts/defined'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import type { SyncError } from '@posthorn/db'
import type { AccountStatus } from '../store/account-status.ts'

export type StatusTrigger =
  /**
   * Trigger of the account status: a worker starts the account's session. `enabled` is false
   * without a mail server to connect to.
   */
  | { kind: 'starting'; version: string; enabled: boolean; paused?: boolean }
  /**
   * Trigger of the account status: the account connects to its mail system. For an account that has
   * synced, this trigger occurs only if the attempt takes a long time.
   */
  | { kind: 'connecting' }
  | { kind: 'loggedIn'; user: string }
  /**
   * Trigger of the account status: the first sync pass over the account's new connection takes a
   * long time.
   */
  | { kind: 'syncing' }
  /**
   * Trigger of the account status: a full sync pass ended. `syncError` is the last mailbox that the
   * mail server refused to sync.
   */
  | { kind: 'synced'; syncError?: Omit<SyncError, 'time'> }
  /**
   * Trigger of the account status: a connection to the mail system was lost after a sync pass, and
   * the account reconnects after a delay.
   */
  | { kind: 'lost' }
  /**
   * Trigger of the account status: the mail system rejected the account's credentials. `ambiguous`
   * if the response may also mean an outage.
   */
  | { kind: 'authFailed'; error: LastError; ambiguous?: true }
  | { kind: 'connectFailed'; error: LastError }

/**
 * Event of an account status transition. The id of the event is derived from the event name and
 * `key`.
 */
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
  /** Period of rejected credentials after which syncing of the account is disabled. */
  readonly maxAuthFailureMs: number
}

/**
 * Next status of an account and the events to record. Interface spec, "Account states". Pure.
 *
 * | state               | trigger       | next                | guard                             |
 * |---------------------|---------------|---------------------|-----------------------------------|
 * | any                 | starting      | unset               | no server, or server disabled     |
 * | any                 | starting      | paused              | paused by the registration        |
 * | new, unset, paused  | starting      | init                | not disabled, or new registration |
 * | init                | connecting    | connecting          | never synced                      |
 * | connected, syncing, | connecting    | connecting          |                                   |
 * | disconnected        |               |                     |                                   |
 * | any                 | loggedIn      | syncing             | never synced                      |
 * | init, connecting,   | loggedIn      | connected           | synced before                     |
 * | disconnected,       |               |                     |                                   |
 * | authenticationError |               |                     |                                   |
 * | connectError        | loggedIn      | connected           | credentials were rejected before  |
 * | connected           | syncing       | syncing             |                                   |
 * | any                 | synced        | connected           |                                   |
 * | connected           | lost          | disconnected        |                                   |
 * | any                 | authFailed    | authenticationError | certain, or repeated              |
 * | any                 | authFailed    | unset               | rejected for `maxAuthFailureMs`   |
 * | any                 | authFailed    | connectError        | ambiguous and not repeated        |
 * | any                 | connectFailed | connectError        |                                   |
 *
 * Any other combination keeps the state. `authenticationSuccess` follows the first login after the
 * registration, and the first login after rejected credentials. Resuming a paused account records
 * no event.
 */
export function transition(
  from: AccountStatus,
  trigger: StatusTrigger,
  context: TransitionContext,
): Transition {
  switch (trigger.kind) {
    case 'starting':
      return { status: onStarting(from, trigger, context.now), events: [] }
    case 'connecting':
      return { status: onConnecting(from), events: [] }
    case 'loggedIn':
      return onLoggedIn(from, trigger.user)
    case 'syncing':
      return { status: afterConnected(from, 'syncing'), events: [] }
    case 'synced':
      return onSynced(from, trigger, context.now)
    case 'lost':
      // The loss of an account's connection records no event. A failure of the next attempt to
      // connect records an event.
      return { status: afterConnected(from, 'disconnected'), events: [] }
    case 'authFailed':
      return trigger.ambiguous && mayBeOutage(from)
        ? onFailed(from, 'connectError', trigger.error)
        : onAuthFailed(from, trigger.error, context)
    case 'connectFailed':
      return onFailed(from, 'connectError', trigger.error)
  }
}

/**
 * Number of consecutive failures to connect an account, after which an ambiguous response of the
 * mail system counts as rejected credentials.
 */
const maxAmbiguous = 3

function mayBeOutage({ state, errorCount }: AccountStatus): boolean {
  return state !== 'authenticationError' && (state !== 'connectError' || errorCount < maxAmbiguous)
}

function onStarting(
  from: AccountStatus,
  { version, enabled, paused = false }: Extract<StatusTrigger, { kind: 'starting' }>,
  now: Date,
): AccountStatus {
  // A new registration enables a disabled account. `maxAuthFailureMs` starts again for the new
  // credentials, and their first successful login records `authenticationSuccess`.
  const isChanged = version !== from.accountVersion
  const authFailingSince = from.authFailingSince && now
  const base = isChanged
    ? { ...from, accountVersion: version, authFailureDisabledAt: null, authFailingSince }
    : from
  if (!enabled) return withState({ ...base, lastError: null, errorCount: 0 }, 'unset')
  if (paused) return withState({ ...base, lastError: null, errorCount: 0 }, 'paused')
  if (base.authFailureDisabledAt) return base
  return base.state === 'new' || base.state === 'unset' || base.state === 'paused'
    ? withState({ ...base, lastError: null }, 'init')
    : base
}

/**
 * Computes the account status when a connection attempt starts. The error states of an account stay
 * until the attempt ends. The state `init` of an account that was enabled again stays, too.
 */
function onConnecting(from: AccountStatus): AccountStatus {
  const isFirst = from.state === 'init' && from.initializedAt === null
  const isLost =
    from.state === 'connected' || from.state === 'syncing' || from.state === 'disconnected'
  return isFirst || isLost ? withState(from, 'connecting') : from
}

function onLoggedIn(from: AccountStatus, user: string): Transition {
  const isRecovered = from.state === 'authenticationError' || from.authFailingSince !== null
  const healthy = { ...from, lastError: null, errorCount: 0, authFailingSince: null }
  const success = (key: string): StateEvent => ({
    event: 'authenticationSuccess',
    key,
    data: { user },
  })
  if (from.initializedAt === null) {
    const status = withState(healthy, 'syncing')
    // The `authenticationSuccess` of the login before the first sync has a fixed event id. If the
    // login is repeated before the first sync ends, the event is not recorded again.
    return { status, events: [success(isRecovered ? String(status.stateEpoch) : 'first')] }
  }
  if (isRecovered) {
    const status = withState(healthy, 'connected')
    return { status, events: [success(String(status.stateEpoch))] }
  }
  // An initialized account has the state `init` if its syncing was disabled or paused and then
  // enabled again.
  if (from.state === 'init' || from.state === 'disconnected' || from.state === 'connecting')
    return { status: withState(healthy, 'connected'), events: [] }
  // A login does not end the state `connectError`; only a sync does. Otherwise a server that
  // accepts logins and then drops the connection would change the state with every attempt.
  return { status: from.state === 'connectError' ? from : healthy, events: [] }
}

function onSynced(
  from: AccountStatus,
  { syncError }: { syncError?: Omit<SyncError, 'time'> },
  now: Date,
): Transition {
  const status = withState(
    {
      ...from,
      lastError: null,
      errorCount: 0,
      syncTime: now,
      syncError: syncError ? { ...syncError, time: now.toISOString() } : null,
    },
    'connected',
  )
  if (from.initializedAt) return { status, events: [] }
  return {
    status: { ...status, initializedAt: now },
    events: [{ event: 'accountInitialized', key: 'first', data: { initialized: true } }],
  }
}

function onAuthFailed(
  from: AccountStatus,
  error: LastError,
  { now, maxAuthFailureMs }: TransitionContext,
): Transition {
  const since = from.authFailingSince ?? now
  const failed = onFailed({ ...from, authFailingSince: since }, 'authenticationError', error)
  if (now.getTime() - since.getTime() < maxAuthFailureMs) return failed
  const description = 'Syncing was switched off: the server refused the credentials for too long'
  const status = withState(
    { ...failed.status, authFailureDisabledAt: now, lastError: { ...error, description } },
    'unset',
  )
  return { status, events: [errorEvent('authenticationError', status.stateEpoch, error)] }
}

/**
 * Computes the account status after a failure to connect or log in to the mail system. If the
 * failure equals the previous failure, increments the error count and records no event.
 */
function onFailed(
  from: AccountStatus,
  state: 'authenticationError' | 'connectError',
  error: LastError,
): Transition {
  if (from.state === state && isSameFailure(from.lastError, error))
    return { status: { ...from, errorCount: from.errorCount + 1, lastError: error }, events: [] }
  const stateEpoch = from.stateEpoch + 1
  return {
    status: { ...from, state, stateEpoch, lastError: error, errorCount: 1 },
    events: [errorEvent(state, stateEpoch, error)],
  }
}

function errorEvent(
  event: 'authenticationError' | 'connectError',
  epoch: number,
  { response = '', serverResponseCode, tokenRequest }: LastError,
): StateEvent {
  const data = {
    response,
    ...defined({ serverResponseCode }),
    ...(event === 'authenticationError' && tokenRequest && { tokenRequest }),
  }
  return { event, key: String(epoch), data }
}

/**
 * True if two failures of an account to connect or log in are equal. Compares the response codes if
 * a failure has a code, because response texts may contain times and counters.
 */
function isSameFailure(before: LastError | null, current: LastError): boolean {
  if (before?.serverResponseCode !== undefined || current.serverResponseCode !== undefined)
    return before?.serverResponseCode === current.serverResponseCode
  return before?.response === current.response
}

/** Changes the account state, but only if the state is `connected`. */
function afterConnected(status: AccountStatus, state: AccountState): AccountStatus {
  return status.state === 'connected' ? withState(status, state) : status
}

function withState(status: AccountStatus, state: AccountState): AccountStatus {
  return status.state === state ? status : { ...status, state, stateEpoch: status.stateEpoch + 1 }
}

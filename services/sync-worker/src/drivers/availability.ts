import type { LastError } from '@posthorn/contracts/schemas/account'
import {
  type AccountState,
  pausedAccount,
  shownState,
  unavailableAccount,
} from '@posthorn/contracts/schemas/account-state'
import { AppError, isApplicationError } from '@posthorn/errors'

/** State of an account session, by which `assertConnected` accepts or rejects commands. */
export interface AccountAvailability {
  /** Account state that the account session stored last. */
  readonly state: AccountState | undefined
  /** Last error of the account that was read or stored last. Undefined before the first read. */
  readonly lastError: LastError | null | undefined
  /**
   * True from a login of the account until a failure of its connection or of a reconnect is
   * recorded.
   */
  readonly loggedIn: boolean
  /** True if the account has ever completed a sync pass. */
  readonly wasSynced: boolean
}

/**
 * Rejects a command if the account is not connected. Accepts commands during the initial sync, and
 * while an account that has synced reconnects, because the command itself connects.
 *
 * @throws AppError `unavailable` with a code of the interface spec, "503 codes"; `internal`
 *   `AppNotFound` or `InvalidBaseScopes` if the OAuth2 application of the account cannot be used
 */
export function assertConnected({
  state = 'new',
  loggedIn,
  wasSynced,
  lastError,
}: AccountAvailability): void {
  const { serverResponseCode: code = '', response = '' } = lastError ?? {}
  if (state === 'connectError' && isApplicationError(code))
    throw new AppError('internal', response, { code })
  const reason = unavailableReasons[state]
  if (!reason || (reason === connecting && (loggedIn || (wasSynced && state !== 'init')))) return
  throw new AppError('unavailable', reason.message, {
    code: reason.code,
    extras: { state: reason.state },
  })
}

interface UnavailableReason {
  code: string
  state: string
  message: string
}

const connecting: UnavailableReason = {
  code: 'NotYetConnected',
  state: 'init',
  message: unavailableAccount.notYetConnected,
}
const disconnected: UnavailableReason = {
  code: 'NoAvailable',
  state: 'other',
  message: unavailableAccount.disconnected,
}

const unavailableReasons: Partial<Record<AccountState, UnavailableReason>> = {
  new: connecting,
  init: connecting,
  connecting,
  syncing: connecting,
  disconnected,
  paused: { ...disconnected, message: pausedAccount },
  unset: { code: 'NotSyncing', state: 'unset', message: unavailableAccount.syncingOff },
  authenticationError: {
    code: 'AuthenticationFails',
    state: 'authenticationError',
    message: unavailableAccount.refused,
  },
  connectError: {
    code: 'ConnectionError',
    state: 'connectError',
    message: unavailableAccount.unreachable,
  },
}

/**
 * Converts the error of a command: a failed or lost connection becomes a temporary error, and a
 * missing or unsuitable OAuth2 application an `internal` error with the application's error code.
 * Returns other errors unchanged.
 */
export function toUnavailable(
  { state = 'new' }: Pick<AccountAvailability, 'state'>,
  error: unknown,
): unknown {
  if (
    !(error instanceof AppError) ||
    (error.kind !== 'unreachable' && error.kind !== 'unauthorized')
  )
    return error
  const { code, message } = error
  if (isApplicationError(code)) return new AppError('internal', message, { code, cause: error })
  return new AppError('unavailable', 'The connection to the mail server failed, retry', {
    code: 'IMAPUnavailable',
    extras: { state: shownState(state) },
    cause: error,
  })
}

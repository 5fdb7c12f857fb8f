import type { AccountState } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

/** Properties of an account that decide whether it may send. */
export interface SendPrerequisites {
  imap: { disabled?: boolean } | null
  smtp: object | null
  state: AccountState | null
  initializedAt: Date | null
  /** Gateway that sends instead of the account's own server. */
  gateway?: string | null
}

/** Errors of an account that never synced, by state. Interface spec, "503 codes". */
const errorByState: Partial<
  Record<AccountState, [code: string, message: string, shownState?: string]>
> = {
  authenticationError: [
    'AuthenticationFails',
    'The mail server refused the credentials of the account',
  ],
  connectError: ['ConnectionError', 'The mail server of the account cannot be reached'],
  unset: ['NotSyncing', 'Syncing is switched off for the account'],
  paused: ['NoAvailable', 'The account is paused', 'other'],
}

const notYetConnected = ['NotYetConnected', 'The account is not connected yet', 'init'] as const

/**
 * Checks that an account may send. It needs an outgoing server or a gateway. Its initial sync must
 * be complete; later failures of its incoming server do not matter.
 *
 * @throws AppError `not-found` `SMTPUnavailable`; `unavailable` with the account's state
 */
export function assertCanSend({
  imap,
  smtp,
  state,
  initializedAt,
  gateway,
}: SendPrerequisites): void {
  if (!smtp && !gateway)
    throw new AppError('not-found', 'The account has no SMTP configuration to send with', {
      code: 'SMTPUnavailable',
    })
  if (!imap || imap.disabled || initializedAt) return
  const stateError = state ? errorByState[state] : undefined
  const [code, message, shown] = stateError ?? notYetConnected
  throw new AppError('unavailable', message, { code, extras: { state: shown ?? state ?? 'init' } })
}

import { accountTypeOf } from '@posthorn/contracts/account-types'
import type { LastError } from '@posthorn/contracts/schemas/account'
import {
  type AccountState,
  pausedAccount,
  unavailableAccount,
} from '@posthorn/contracts/schemas/account-state'
import { AppError, isApplicationError } from '@posthorn/errors'
import { hasMailbox, type MailboxColumns } from './has-mailbox.ts'

/** Columns of an account that decide whether the account may send messages. */
export interface SendPrerequisites extends MailboxColumns {
  smtp: object | null
  state: AccountState | null
  initializedAt: Date | null
  /** Error that caused the current state of the account. */
  lastError: LastError | null
  /**
   * Id of the gateway (outgoing mail server) that sends the account's messages instead of the
   * account's own server.
   */
  gateway?: string | null
}

/**
 * Errors for a submission if the account has never completed a sync, by state of the account. See
 * "503 codes" in the interface spec.
 */
const errorByState: Partial<
  Record<AccountState, [code: string, message: string, shownState?: string]>
> = {
  authenticationError: ['AuthenticationFails', unavailableAccount.refused],
  connectError: ['ConnectionError', unavailableAccount.unreachable],
  unset: ['NotSyncing', unavailableAccount.syncingOff],
  paused: ['NoAvailable', pausedAccount, 'other'],
}

const notYetConnected = ['NotYetConnected', unavailableAccount.notYetConnected, 'init'] as const

/**
 * Checks that an account may send messages. The account needs a mail API, an outgoing server or a
 * gateway (outgoing server that belongs to no account). If the account has a mailbox, its initial
 * sync must be complete. Later failures of the mailbox have no influence.
 *
 * @throws AppError `not-found` with the code `SMTPUnavailable`; `unavailable` with the account's
 * state; `internal` with the code of an OAuth2 application that cannot be used
 */
export function assertCanSend(account: SendPrerequisites): void {
  const { smtp, state, initializedAt, gateway } = account
  if (accountTypeOf(account).sendsBy === 'smtp' && !smtp && !gateway)
    throw new AppError('not-found', 'The account has no SMTP configuration to send with', {
      code: 'SMTPUnavailable',
    })
  if (!hasMailbox(account) || initializedAt) return
  assertApplication(account)
  const stateError = state ? errorByState[state] : undefined
  const [code, message, shown] = stateError ?? notYetConnected
  throw new AppError('unavailable', message, { code, extras: { state: shown ?? state ?? 'init' } })
}

function assertApplication({ state, lastError }: SendPrerequisites): void {
  const { serverResponseCode: code, response = '' } = lastError ?? {}
  if (state === 'connectError' && isApplicationError(code))
    throw new AppError('internal', response, { code })
}

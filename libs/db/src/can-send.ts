import type { AccountState } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

export interface SendPrerequisites {
  imap: { disabled?: boolean } | null
  smtp: object | null
  state: AccountState | null
  initializedAt: Date | null
  /** The gateway that is to send instead of the account's own server. */
  gateway?: string | null
}

/** What an account says that has never been connected, by the state in which it is stuck. Interface spec, "503 codes". */
const refusals: Partial<Record<AccountState, [code: string, message: string]>> = {
  authenticationError: [
    'AuthenticationFails',
    'The mail server refused the credentials of the account',
  ],
  connectError: ['ConnectionError', 'The mail server of the account cannot be reached'],
  unset: ['NotSyncing', 'Syncing is switched off for the account'],
}

/**
 * Whether an account may send: it needs an outgoing server or a gateway, and the first sync of its mailboxes must be over. An account that was
 * connected once may send whatever has become of its incoming server.
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
  const refusal = state ? refusals[state] : undefined
  const [code, message] = refusal ?? ['NotYetConnected', 'The account is not connected yet']
  throw new AppError('unavailable', message, {
    code,
    extras: { state: refusal && state ? state : 'init' },
  })
}

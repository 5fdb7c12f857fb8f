import { isDeepStrictEqual } from 'node:util'
import type { StoredOAuth2 } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Token } from '../../access/token.ts'

/**
 * Keeps a token that is bound to an account at the mailbox of that account. Whoever may name another user, or another account whose
 * grant is to be used, reads mail by what others have consented to.
 *
 * @throws AppError `forbidden`
 */
export function assertSameMailbox(
  token: Pick<Token, 'account'> | null,
  stored: StoredOAuth2 | null,
  column: string | null | undefined,
): void {
  if (!token || token.account === null || !column) return
  if (!isDeepStrictEqual(mailboxOf(JSON.parse(column) as StoredOAuth2), mailboxOf(stored)))
    throw new AppError('forbidden', 'Unauthorized account')
}

function mailboxOf(oauth2: StoredOAuth2 | null) {
  if (!oauth2) return undefined
  const { provider, auth: { user, delegatedUser, delegatedAccount } = {} } = oauth2
  return { provider, user, delegatedUser, delegatedAccount }
}

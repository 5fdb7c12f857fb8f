import { isDeepStrictEqual } from 'node:util'
import type { StoredOAuth2 } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Token } from '../../access/token.ts'
import { maskUrl } from '../../http/masks.ts'

interface Login {
  oauth2: StoredOAuth2 | null
  email: string | null
  imap: { host?: string } | null
  smtp: { host?: string } | null
  proxy: string | null
}

/** What is written of it, as columns; absent: as it is. */
type Change = { [K in keyof Login]?: string | null | undefined }

/**
 * Keeps a token that is bound to an account at the mailbox of that account, where the login is by OAuth2. Whoever may name another user,
 * or another account whose grant is to be used, reads mail by what others have consented to; whoever may name a host is told the token.
 *
 * @throws AppError `forbidden`
 */
export function assertMailboxUnchanged(
  token: Pick<Token, 'account'> | null,
  before: Login,
  change: Change,
): void {
  if (!token || token.account === null) return
  const after: Login = {
    oauth2: parsed(change.oauth2, before.oauth2),
    email: change.email === undefined ? before.email : change.email,
    imap: parsed(change.imap, before.imap),
    smtp: parsed(change.smtp, before.smtp),
    proxy: change.proxy === undefined ? before.proxy : change.proxy,
  }
  if (after.oauth2 && !isDeepStrictEqual(mailboxOf(after), mailboxOf(before)))
    throw new AppError('forbidden', 'Unauthorized account')
}

function parsed<T>(column: string | null | undefined, before: T | null): T | null {
  if (column === undefined) return before
  return column === null ? null : (JSON.parse(column) as T)
}

/** Without a user it is the address that is logged in as. What the proxy is told for a password is nobody's secret but its own. */
function mailboxOf({ oauth2, email, imap, smtp, proxy }: Login) {
  if (!oauth2) return undefined
  const { provider, auth: { user, delegatedUser, delegatedAccount } = {} } = oauth2
  const hosts = [imap?.host, smtp?.host, proxy && maskUrl(proxy)]
  return { provider, user: user ?? email, delegatedUser, delegatedAccount, hosts }
}

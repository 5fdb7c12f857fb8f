import { AppError } from '@posthorn/errors'

const prefix = 'account_'

/** Encodes the id of the last account on a page of accounts as the cursor of the next page. */
export function encodeAccountCursor(account: string): string {
  return prefix + Buffer.from(account).toString('base64url')
}

/**
 * Decodes the cursor of a list of accounts to the id of the account after which the page starts.
 * Only texts that `encodeAccountCursor` returns are accepted: any other text would end the list
 * early.
 *
 * @throws AppError `invalid` with `InvalidCursorValue`
 */
export function decodeAccountCursor(cursor: string): string {
  const account = Buffer.from(cursor.slice(prefix.length), 'base64url').toString()
  // Rejects account ids with NUL, because Postgres accepts no texts with NUL.
  if (account === '' || account.includes('\0') || encodeAccountCursor(account) !== cursor)
    throw new AppError('invalid', 'Invalid paging cursor', { code: 'InvalidCursorValue' })
  return account
}

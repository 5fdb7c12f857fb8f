import { MailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Account } from '../../store/accounts.ts'
import { decodeLeaf } from './index/leaf-content.ts'
import { withLease } from '../../store/lease.ts'
import { findAddresses, findLastLeaf, saveMailboxAddress } from '../../store/api/mailbox-address.ts'

interface Login {
  db: Db
  account: Account
  api: MailApi
  log: Pick<Logger, 'info'>
}

/** Number of indexed messages that are requested to identify the account's mailbox. */
const sampleSize = 100

/**
 * Compares the address in the provider's profile with the stored address of the account. Accepts
 * the login name and `expectedEmail` of the account. Accepts another address if the mailbox has
 * messages of the stored message index or, without an index, if the account has no `expectedEmail`:
 * the account was registered with an alias, or the user was renamed. Stores and reports an accepted
 * address that differs from the stored address.
 *
 * @throws MailApiError `token-rejected` if the token belongs to another mailbox
 */
export async function checkMailboxAddress(
  { db, account, api, log }: Login,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const stored = await findAddresses(db, account.account)
  if (!stored || isSame(address, stored.mailboxAddress ?? stored.user ?? address)) return
  const declared = [stored.user, stored.expectedEmail]
  const isDeclared = declared.some((each) => each !== null && isSame(address, each))
  const leaf = await findLastLeaf(db, account.account)
  const ids = leaf
    ? decodeLeaf(leaf)
        .slice(-sampleSize)
        .map(({ id }) => id)
    : []
  const isSameMailbox =
    isDeclared ||
    (ids.length > 0
      ? (await api.getMessages(ids, {}, signal)).length > 0
      : stored.expectedEmail === null)
  if (!isSameMailbox)
    throw new MailApiError('token-rejected', `The access token belongs to the mailbox ${address}`)
  const isLoginName = stored.user !== null && isSame(address, stored.user)
  const current = { account: account.account, address: isLoginName ? null : address }
  await withLease(db, account.lease, (tx) => saveMailboxAddress(tx, current, address))
  log.info({ address }, 'address of the mailbox changed')
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

import { MailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { Account } from '../../store/accounts.ts'
import { withLease } from '../../store/lease.ts'
import {
  findKnownAddress,
  listIndexedIds,
  saveMailboxAddress,
} from '../../store/api/mailbox-address.ts'

interface Login {
  db: Db
  account: Account
  api: MailApi
  log: Pick<Logger, 'info'>
}

/** Messages that are looked up to recognise a mailbox. */
const sampleSize = 20

/**
 * Compares the address in the provider's profile with the address of the account. A different
 * address of the same mailbox is stored and reported: the account was registered with an alias, or
 * the user was renamed. A mailbox is the same if it has messages of the index. Without an index,
 * only `expectedEmail` decides.
 *
 * @throws MailApiError `token-rejected` if the token belongs to another mailbox
 */
export async function checkMailboxAddress(
  { db, account, api, log }: Login,
  address: string,
  signal: AbortSignal,
): Promise<void> {
  const known = await findKnownAddress(db, account.account)
  if (!known || isSame(address, known.mailboxAddress ?? known.user ?? address)) return
  const ids = await listIndexedIds(db, account.account, sampleSize)
  const isKnown =
    ids.length > 0
      ? (await api.getMessages(ids, {}, signal)).length > 0
      : known.expectedEmail === null || isSame(address, known.expectedEmail)
  if (!isKnown)
    throw new MailApiError('token-rejected', `The access token belongs to the mailbox ${address}`)
  const isLoginName = known.user !== null && isSame(address, known.user)
  const stored = { account: account.account, address: isLoginName ? null : address }
  await withLease(db, account.lease, (tx) => saveMailboxAddress(tx, stored, address))
  log.info({ address }, 'address of the mailbox changed')
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Db, Outbox } from '@posthorn/db'
import type { Insertable } from 'kysely'

/** What an account is to a mail client that wants to send. */
export interface SendingAccount {
  shard: number
  /** It has a server to send by. */
  canSend: boolean
  /** Its first sync is over, or there is nothing to sync. */
  ready: boolean
}

export async function findSendingAccount(
  db: Db,
  account: string,
): Promise<SendingAccount | undefined> {
  const row = await db
    .selectFrom('accounts')
    .leftJoin('accountStates', 'accountStates.account', 'accounts.account')
    .select(['accounts.shard', 'accounts.imap', 'accounts.smtp', 'accountStates.initializedAt'])
    .where('accounts.account', '=', account)
    .executeTakeFirst()
  if (!row) return undefined
  const syncs = row.imap !== null && row.imap.disabled !== true
  return {
    shard: row.shard,
    canSend: row.smtp !== null,
    ready: !syncs || row.initializedAt !== null,
  }
}

const attempts = 3
const foreignKeyViolation = '23503'

/** What Postgres will answer again: bad data, broken constraints (class 22, 23), missing rights and tables (42). */
function isFinal(code: string): boolean {
  return /^(?:22|23|42)/.test(code)
}

/**
 * Puts a message into the outbox; it is promised to be sent from the moment this resolves. Where a connection broke, it may have been
 * stored without our knowing: it is tried again under the same id, so that there is never a second one. False when the account is gone.
 */
export async function insertSubmission(db: Db, submission: Insertable<Outbox>): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await db
        .insertInto('outbox')
        .values(submission)
        .onConflict((conflict) => conflict.column('queueId').doNothing())
        .execute()
      return true
    } catch (error) {
      const { code = '' } = error as { code?: string }
      // The account was removed since we looked.
      if (code === foreignKeyViolation) return false
      if (attempt === attempts || isFinal(code)) throw error
      await delay(200 * attempt)
    }
  }
}

import type { Deps } from '../../deps.ts'
import { commitBatched } from '../../events/commit-batched.ts'
import { mailboxNew } from '../../events/mailbox.ts'
import type { Account } from '../../sessions/account.ts'
import type { AccountLease } from '../../store/lease.ts'
import { type EmptyMailbox, type MailboxRow, markEmpty } from '../../store/mailboxes.ts'
import type { Counters } from '../sync-plan.ts'
import type { SyncContext } from '../context.ts'

/** Mailboxes of one account that were never looked at and have nothing in them. */
export interface EmptyMailboxes {
  readonly lease: AccountLease
  readonly account: Account
  readonly mailboxes: readonly EmptyMailbox[]
}

/**
 * The first look at mailboxes that are empty, as counters say all of it: remembers that, and tells that they were found. Those of accounts
 * at the same time in one transaction. Their rows by id; without those that somebody else looked at meanwhile.
 */
export type IndexEmpty = (found: EmptyMailboxes) => Promise<ReadonlyMap<string, MailboxRow>>

export function indexEmptyMailboxes(
  deps: Pick<Deps, 'db' | 'bus' | 'settings' | 'metrics' | 'markPublished'>,
): IndexEmpty {
  return commitBatched<EmptyMailboxes, ReadonlyMap<string, MailboxRow>>(deps, async (tx, held) => {
    const all = held.flatMap(({ item }) => item.mailboxes)
    const marked = new Map((await markEmpty(tx, all)).map((row) => [row.id, row]))
    return held.map(({ item: { account, mailboxes } }) => {
      const rows = mailboxes.flatMap(({ id }) => marked.get(id) ?? [])
      return {
        result: new Map(rows.map((row) => [row.id, row])),
        events: rows.map((row) => mailboxNew(account, row)),
      }
    })
  })
}

/** Nothing is known of it, and nobody was told. */
export function isNeverSynced({ uidValidity, flagsComplete }: MailboxRow): boolean {
  return uidValidity === null && !flagsComplete
}

/** What is to be remembered of a mailbox that was never looked at, where counters say that it is empty. */
export function toEmptyMailbox(
  { session }: Pick<SyncContext, 'session'>,
  row: MailboxRow,
  { uidValidity, uidNext, messages, highestModseq }: Counters,
): EmptyMailbox | undefined {
  // Without UIDNEXT nobody could say what came since.
  if (!isNeverSynced(row) || messages > 0 || uidNext === 0 || uidValidity <= 0n) return undefined
  return {
    id: row.id,
    uidValidity,
    uidNext,
    ...(session.capabilities.condstore && highestModseq !== undefined ? { highestModseq } : {}),
  }
}

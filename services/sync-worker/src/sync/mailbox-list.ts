import { AppError } from '@posthorn/errors'
import { commit } from '../events/commit.ts'
import { mailboxDeleted, mailboxReset } from '../events/mailbox.ts'
import {
  deleteMailboxes,
  insertMailbox,
  type Listing,
  listMailboxRows,
  type MailboxRow,
  updateListing,
  type Validity,
} from '../store/mailboxes.ts'
import { findStanding, takeMailboxNumbers } from '../store/states.ts'
import type { SyncContext } from './context.ts'
import { compareListing, describeListing, isMonitored, type ListingChanges } from './listing.ts'

/** UIDVALIDITY is never zero (RFC 9051 §9): marks a mailbox whose ids are void and whose UIDVALIDITY could not be asked for. */
export const lostUidValidity = '0'

/**
 * Brings the stored list of mailboxes up to date. A mailbox that is new gets its event with its first sync, which knows its UIDVALIDITY;
 * one that is gone gets it here.
 */
export async function syncMailboxList(context: SyncContext): Promise<MailboxRow[]> {
  const { deps, account, session } = context
  const listed = await session.listMailboxes()
  // An account without a single mailbox is a server in trouble. Believing it would delete all we know.
  if (listed.length === 0) throw new AppError('unreachable', 'The server lists no mailboxes')
  const rows = await listMailboxRows(deps.db, account.account)
  const changes = compareListing(rows, describeListing(listed, account.imap))
  changes.gone = await confirmGone(context, changes)
  if (changes.added.length + changes.gone.length + changes.changed.length === 0) return rows
  const standing = await findStanding(deps.db, account.account)
  const lost = rows.length === 0 && standing?.initializedAt != null
  await store(context, changes, lost ? await askValidities(context, changes.added) : undefined)
  return listMailboxRows(deps.db, account.account)
}

/** Servers leave mailboxes out of a listing by mistake: only one that cannot be asked for its status either is gone. */
async function confirmGone(
  { session }: SyncContext,
  { gone, added }: ListingChanges,
): Promise<MailboxRow[]> {
  const stillListed = new Set(added.map(({ path }) => path))
  const confirmed: MailboxRow[] = []
  for (const row of gone) {
    if (stillListed.has(row.path) || !(await exists(session, row.path))) confirmed.push(row)
  }
  return confirmed
}

async function exists(session: SyncContext['session'], path: string): Promise<boolean> {
  try {
    await session.status(path)
    return true
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not-found') return false
    // Refused for another reason: the answer is left open.
    if (error instanceof AppError && error.kind === 'rejected') return true
    throw error
  }
}

/** `lost`: all that was known is gone, and this is where the mailboxes stand. */
async function store(
  { deps, account }: SyncContext,
  { added, gone, changed }: ListingChanges,
  lost: ReadonlyMap<string, Validity> | undefined,
): Promise<void> {
  await commit(deps, account.lease, async (tx, record) => {
    await deleteMailboxes(
      tx,
      gone.map(({ id }) => id),
    )
    for (const { row, listing } of changed)
      await updateListing(tx, row.id, { ...listing, listed: true })
    const numbers = await takeMailboxNumbers(tx, account.account, added.length)
    const inserted: MailboxRow[] = []
    for (const [at, listing] of added.entries()) {
      inserted.push(
        await insertMailbox(tx, account.account, {
          ...listing,
          number: numbers[at] ?? 0,
          ...lost?.get(listing.path),
        }),
      )
    }
    // Without UIDVALIDITY it was never told of.
    await record(
      gone
        .filter(({ uidValidity }) => uidValidity !== null)
        .map((row) => mailboxDeleted(account, row)),
    )
    await record(
      inserted
        .filter(({ uidValidity }) => uidValidity !== null && uidValidity !== lostUidValidity)
        .map((row) => mailboxReset(account, row, { reason: 'syncStateLost', previous: false })),
    )
  })
}

async function askValidities(
  { session, account }: SyncContext,
  listings: readonly Listing[],
): Promise<Map<string, Validity>> {
  const validities = new Map<string, Validity>()
  for (const listing of listings) {
    if (!isMonitored(listing, account.paths)) continue
    try {
      const { uidValidity, uidNext } = await session.status(listing.path)
      validities.set(listing.path, { uidValidity: String(uidValidity), uidNext: String(uidNext) })
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unreachable') throw error
      validities.set(listing.path, { uidValidity: lostUidValidity, uidNext: '0' })
    }
  }
  return validities
}

import { AppError } from '@posthorn/errors'
import type { MailboxRow } from '../../store/mailboxes.ts'
import type { SyncContext } from '../context.ts'

/** How often in a row a UIDVALIDITY that goes backwards must be named, each time by two connections. */
const looksUntilBelieved = 3

/** UIDVALIDITYs that are not believed yet. */
export class UidValidityGuard {
  readonly #named = new Map<string, { uidValidity: bigint; times: number }>()

  /** Counts one more look that found this value, and says how many there were on end. */
  count(mailbox: string, uidValidity: bigint): number {
    const before = this.#named.get(mailbox)
    const times = before?.uidValidity === uidValidity ? before.times + 1 : 1
    this.#named.set(mailbox, { uidValidity, times })
    return times
  }

  clear(mailbox: string): void {
    this.#named.delete(mailbox)
  }
}

/**
 * Whether another UIDVALIDITY is to be believed: believing it voids all ids of the mailbox. Servers with several back-ends may answer
 * with a stray one, so a connection of its own is asked as well; and as it only ever grows (RFC 9051 §2.3.1.1), a lower one must be named
 * several times on end.
 */
export async function confirmUidValidity(
  context: SyncContext,
  row: MailboxRow,
  uidValidity: bigint,
): Promise<boolean> {
  const { uidValidityGuard: doubts } = context
  if ((await askAnother(context, row.path)) !== uidValidity) {
    doubts.clear(row.id)
    return false
  }
  const times = doubts.count(row.id, uidValidity)
  const lower = row.uidValidity !== null && uidValidity < BigInt(row.uidValidity)
  if (lower && times < looksUntilBelieved) return false
  doubts.clear(row.id)
  return true
}

async function askAnother(
  { connect: open, session, signal }: SyncContext,
  path: string,
): Promise<bigint> {
  try {
    await using other = await open(signal)
    return (await other.status(path)).uidValidity
  } catch (error) {
    signal.throwIfAborted()
    // No connection to spare: this one is asked again.
    if (error instanceof AppError) return (await session.status(path)).uidValidity
    throw error
  }
}

import type { MailboxRow } from '../../../store/mailboxes.ts'

/** Consecutive confirmations that are required for a UIDVALIDITY below the stored value. */
const requiredConfirmations = 3

/**
 * Guard against wrong UIDVALIDITY values. A new UIDVALIDITY invalidates all message ids of a
 * mailbox, so it must be confirmed. Servers with several back ends may report a wrong value, so
 * another connection has to report the same value. UIDVALIDITY only grows (RFC 9051 §2.3.1.1), so a
 * lower value needs three consecutive confirmations.
 */
export class UidValidityGuard {
  readonly #candidates = new Map<string, { uidValidity: bigint; count: number }>()

  /**
   * True if a new UIDVALIDITY of a mailbox is confirmed. `readAgain` reads the value over another
   * connection.
   */
  async confirmUidValidity(
    row: Pick<MailboxRow, 'id' | 'uidValidity'>,
    uidValidity: bigint,
    readAgain: () => Promise<bigint>,
  ): Promise<boolean> {
    const isSame = (await readAgain()) === uidValidity
    const isLower = row.uidValidity !== null && uidValidity < BigInt(row.uidValidity)
    if (isSame && isLower && this.#count(row.id, uidValidity) < requiredConfirmations) return false
    this.clear(row.id)
    return isSame
  }

  /** Removes the recorded confirmations of an unconfirmed UIDVALIDITY. */
  clear(mailbox: string): void {
    this.#candidates.delete(mailbox)
  }

  #count(mailbox: string, uidValidity: bigint): number {
    const candidate = this.#candidates.get(mailbox)
    const count = candidate?.uidValidity === uidValidity ? candidate.count + 1 : 1
    this.#candidates.set(mailbox, { uidValidity, count })
    return count
  }
}

import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import type { MailboxChange, MessageFlags, UidRange } from '../../mail-session.ts'
import { normaliseRanges } from '../../uid-ranges.ts'
import { hasCondstore } from '../connection/capabilities.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { missingExtension } from '../connection/errors.ts'
import { toMessageFlags } from './message.ts'

/**
 * Maximum number of message changes that are read from a mailbox. With more changes, a full
 * comparison of the mailbox needs less memory.
 */
const maxChanges = 500_000
const maxCombinations = 10_000

/**
 * Yields the changes of messages in a mailbox since a mod-sequence (RFC 7162 §3.1.4 and §3.2.6).
 * All changes are read before the first is yielded, so that the connection is free for other calls.
 * Deletions come first, as ranges, which may contain UIDs that never existed.
 */
export async function* changesSince(
  connection: ImapConnection,
  since: bigint,
): AsyncGenerator<MailboxChange> {
  const mailbox = connection.selected
  yield* await connection.call((client) => collect(connection, client, since), mailbox)
}

async function collect(
  { wire }: ImapConnection,
  client: ImapFlow,
  since: bigint,
): Promise<MailboxChange[]> {
  if (!hasCondstore(client) || (client.mailbox && client.mailbox.noModseq))
    throw missingExtension('The mailbox has no mod-sequences')
  const changes = new Changes()
  const stop = wire.collectVanished((uids) => changes.addVanished(uids))
  try {
    // If QRESYNC is enabled, imapflow adds VANISHED to the FETCH command for changed messages.
    const query = { uid: true, flags: true, labels: true }
    for await (const row of client.fetch('1:*', query, { uid: true, changedSince: since }))
      if (row.uid && row.flags) changes.addFlags(toMessageFlags(row))
  } finally {
    stop()
  }
  return changes.all()
}

class Changes {
  readonly #vanished: UidRange[] = []
  readonly #changed: MailboxChange[] = []
  /**
   * Flag arrays by combination of flags, so that messages with the same flags share an array.
   * Hundreds of thousands of messages have only few combinations.
   */
  readonly #combinations = new Map<string, string[]>()

  addVanished(uids: readonly UidRange[]): void {
    for (const range of uids) if (this.#vanished.length <= maxChanges) this.#vanished.push(range)
  }

  addFlags({ flags, ...rest }: MessageFlags): void {
    if (this.#changed.length > maxChanges) return
    const key = flags.join(' ')
    const shared = this.#combinations.get(key) ?? flags
    if (this.#combinations.size < maxCombinations) this.#combinations.set(key, shared)
    this.#changed.push({ kind: 'flags', ...rest, flags: shared })
  }

  all(): MailboxChange[] {
    if (this.#vanished.length > maxChanges || this.#changed.length > maxChanges)
      throw new AppError('unprocessable', 'Too many changes, compare the mailbox', {
        code: 'TooManyChanges',
      })
    return this.#vanished.length === 0
      ? this.#changed
      : [{ kind: 'vanished', uids: normaliseRanges(this.#vanished) }, ...this.#changed]
  }
}

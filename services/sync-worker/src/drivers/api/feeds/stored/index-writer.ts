import type { FeedCommit, FeedStore, MailboxState } from './feed-store.ts'
import { packChanges, type UnpackedChange } from './stored-index.ts'

/** Changes to commit to the message index. The writer adds the state of the index. */
export interface IndexChange extends Omit<FeedCommit, 'epoch' | 'mailbox' | 'parts'> {
  parts?: readonly UnpackedChange[]
  /** Number of messages added to the message index. Negative if messages are removed. */
  added?: number
  filledAt?: Date
  syncedAt?: Date
  repair?: MailboxState['repair']
}

/**
 * Writer of an account's message index. Each commit increments the epoch (commit number) of the
 * index.
 */
export class IndexWriter {
  readonly #store: Pick<FeedStore, 'commit'>
  #mailbox: MailboxState

  constructor(store: Pick<FeedStore, 'commit'>, mailbox: MailboxState) {
    this.#store = store
    this.#mailbox = mailbox
  }

  /** State of the message index after the last commit. */
  get mailbox(): MailboxState {
    return this.#mailbox
  }

  /** Epoch of the message index after the next commit. Part of the ids of that commit's events. */
  get nextEpoch(): number {
    return this.#mailbox.epoch + 1
  }

  /**
   * Commits a change of the message index.
   *
   * @throws AppError `stale`: nothing was stored, and the caller must stop working on the account
   */
  async commit({
    added = 0,
    filledAt,
    syncedAt,
    repair,
    parts = [],
    ...change
  }: IndexChange): Promise<void> {
    const before = this.#mailbox
    const mailbox = {
      ...before,
      epoch: this.nextEpoch,
      messages: before.messages + added,
      ...(filledAt && { filledAt }),
      ...(syncedAt && { syncedAt }),
      ...(repair && { repair }),
    }
    const packed = await packChanges(parts)
    await this.#store.commit({ ...change, parts: packed, epoch: before.epoch, mailbox })
    this.#mailbox = mailbox
  }
}

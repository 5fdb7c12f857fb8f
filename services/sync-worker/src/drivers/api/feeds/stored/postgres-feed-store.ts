import { defined } from '@posthorn/contracts/defined'
import type { Tx } from '@posthorn/db'
import { announceMessages } from '../../../../events/announce.ts'
import { commit, type CommitDeps, type RecordEvents } from '../../../../events/commit.ts'
import { findAccountStatus } from '../../../../store/account-status.ts'
import type { Account } from '../../../../store/accounts.ts'
import {
  deleteApiFeeds,
  deleteApiIndex,
  findApiMailbox,
  listApiFeeds,
  listNamedFolders,
  saveApiFeeds,
  saveApiMailbox,
  saveNamedFolders,
} from '../../../../store/api/feeds.ts'
import {
  deleteApiPending,
  findNextApiPendingAt,
  listDueApiPending,
  saveApiPending,
} from '../../../../store/api/pending.ts'
import {
  countApiMessages,
  deleteApiLeaves,
  findSubmittedDrafts,
  loadApiLeaves,
  saveApiLeaves,
  scanApiLeaves,
} from '../../../../store/api/leaves.ts'
import { staleLeaseError } from '../../../../store/lease.ts'
import { insertSyncWarning } from '../../../../store/changes.ts'
import type {
  DraftIdentity,
  FeedCommit,
  FeedStore,
  MailboxState,
  NewPendingMessage,
  StoredLeaf,
} from './feed-store.ts'
import { indexPart } from './stored-index.ts'

/** Storage of an account's message index in Postgres. Writes run under the account's lease. */
export class PostgresFeedStore implements FeedStore {
  readonly #deps: CommitDeps
  readonly #account: Account

  constructor(deps: CommitDeps, account: Account) {
    this.#deps = deps
    this.#account = account
  }

  async findMailbox(): Promise<MailboxState | undefined> {
    const row = await findApiMailbox(this.#deps.db, this.#account.account)
    return row && { ...row, epoch: Number(row.epoch) }
  }

  async wasInitialized(): Promise<boolean> {
    const status = await findAccountStatus(this.#deps.db, this.#account.account)
    return (status?.initializedAt ?? null) !== null
  }

  countMessages(): Promise<number> {
    return countApiMessages(this.#deps.db, this.#partOf(indexPart))
  }

  listFolders() {
    return listNamedFolders(this.#deps.db, this.#account.account)
  }

  listFeeds() {
    return listApiFeeds(this.#deps.db, this.#account.account)
  }

  async loadLeaves(part: string, ids: readonly string[], small: number): Promise<StoredLeaf[]> {
    const rows = await loadApiLeaves(this.#deps.db, this.#partOf(part), { ids, small })
    return rows.map(({ previous, ...leaf }) => (previous === null ? leaf : { ...leaf, previous }))
  }

  async scanLeaves(part: string, from: string, limit: number) {
    return defined(await scanApiLeaves(this.#deps.db, this.#partOf(part), { from, limit }))
  }

  listDuePending(now: Date, limit: number) {
    return listDueApiPending(this.#deps.db, this.#account.account, { now, limit })
  }

  findNextPendingAt(): Promise<Date | undefined> {
    return findNextApiPendingAt(this.#deps.db, this.#account.account)
  }

  async findOwnDrafts(drafts: readonly DraftIdentity[]): Promise<ReadonlySet<string>> {
    return new Set(await findSubmittedDrafts(this.#deps.db, this.#account.account, drafts))
  }

  commit(change: FeedCommit): Promise<void> {
    return commit(this.#deps, this.#account.lease, async (tx, record) => {
      await this.#saveState(tx, change)
      await this.#recordEvents(tx, change, record)
    })
  }

  async #saveState(tx: Tx, change: FeedCommit): Promise<void> {
    const { account, lease } = this.#account
    const { epoch, mailbox, feeds = [], parts = [] } = change
    const isSaved = await saveApiMailbox(tx, account, {
      epoch: epoch === null ? null : String(epoch),
      mailbox: {
        ...mailbox,
        epoch: String(mailbox.epoch),
        repair: mailbox.repair && JSON.stringify(mailbox.repair),
      },
    })
    if (!isSaved) throw staleLeaseError(lease)
    if (change.reset) await deleteApiIndex(tx, account)
    if (change.folders) await saveNamedFolders(tx, account, change.folders)
    await saveApiFeeds(tx, account, feeds)
    await deleteApiFeeds(tx, account, change.deletedFeeds ?? [])
    for (const { part, deleted, saved } of parts) {
      await deleteApiLeaves(tx, this.#partOf(part), deleted)
      await saveApiLeaves(tx, this.#partOf(part), saved)
    }
    await this.#savePending(tx, change)
  }

  async #savePending(tx: Tx, change: FeedCommit): Promise<void> {
    const { account } = this.#account
    await deleteApiPending(tx, account, { messages: change.deletedPending ?? [] })
    if (change.leftPending) await deleteApiPending(tx, account, change.leftPending)
    await saveApiPending(tx, account, {
      ...pendingRows(change.newPending ?? []),
      changed: change.changedPending ?? [],
    })
  }

  async #recordEvents(tx: Tx, change: FeedCommit, record: RecordEvents): Promise<void> {
    const { events = [], announcements = [], warning } = change
    await record(events)
    for (const { mailbox, announcements: due } of announcements)
      await record(await announceMessages(tx, { account: this.#account, mailbox }, due))
    if (warning) await insertSyncWarning(tx, this.#account.account, warning)
  }

  #partOf(part: string) {
    return { account: this.#account.account, part }
  }
}

function pendingRows(rows: readonly NewPendingMessage[]) {
  const pick = (wanted: boolean) =>
    rows.flatMap(({ isNamed, ...row }) => (isNamed === wanted ? row : []))
  return { named: pick(true), inserted: pick(false) }
}

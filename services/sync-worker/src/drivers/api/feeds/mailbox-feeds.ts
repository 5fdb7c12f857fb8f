import type { NamedFolder } from '@posthorn/db'
import { type MailboxRefusal, unknownPathRefusal } from '../../account-driver.ts'
import { mailboxReset } from '../events/feed-events.ts'
import {
  findUnknownPath,
  FolderNames,
  mergeFolders,
  selectFolders,
} from '../events/folder-names.ts'
import { UnlistedFolders } from '../events/unlisted-folders.ts'
import type { FeedState, MailboxState } from './stored/feed-store.ts'
import { IndexWriter } from './stored/index-writer.ts'
import {
  type FeedInPass,
  FeedPass,
  type FeedPassOptions,
  type MailboxFeedsOptions,
  type PassMemory,
  type PassOptions,
  type PassParts,
  type PassResult,
} from './feed-pass.ts'
import { HeldCursors } from './held-cursors.ts'
import { RoundLosses } from './round-losses.ts'
import { ParkedFeeds } from './parked-feeds.ts'
import { UnknownFolderError } from './read-messages.ts'
import { findFolders, findUnreported, readFeeds } from './read-parts.ts'
import { ReportedChanges } from './reported-changes.ts'
import { listIncomplete, storeFolders, storeMissing } from './folders-of-pass.ts'
import { repairIndex } from './repair-index.ts'
import { retryPending } from './retry-pending.ts'
import {
  droppedRounds,
  dueRounds,
  feedOf,
  type FollowedFeed,
  pairFeeds,
  runRounds,
} from './run-rounds.ts'
import { needsRound } from './sync-feed.ts'

/**
 * Interval of the full rounds (comparisons of all messages) of a folder's feed. Such a feed may not
 * report messages that return to the folder (microsoftgraph/microsoft-graph-docs issue 21752).
 */
const roundIntervalMs = 7 * 86_400_000
/** Time without a sync pass after which the next pass compares all messages of folders. */
const outageMs = 4 * 3_600_000
/** Precision of the stored time of the last sync pass. */
const timeStepMs = 30 * 60_000

/** Feeds (lists of changes) of one account at a mail API. Sync passes must not overlap. */
export class MailboxFeeds {
  readonly #options: FeedPassOptions
  readonly #report: ReportedChanges
  readonly #unlisted = new UnlistedFolders()
  readonly #cursors = new HeldCursors()
  /** True after the stored message index was found to have the right number of messages. */
  #isVerified = false
  #areRoundsRequired = false

  constructor(options: MailboxFeedsOptions) {
    const { now } = options
    this.#options = {
      parked: new ParkedFeeds(now),
      losses: new RoundLosses(now),
      ...options,
    }
    this.#report = new ReportedChanges(options.now)
  }

  /** Makes the next sync pass compare all messages. Called if changes may have been lost. */
  requireRounds(): void {
    this.#areRoundsRequired = true
  }

  /**
   * Runs a sync pass: reads the feeds (lists of changes) until no feed has more changes, then reads
   * pending messages again, then runs due full rounds (comparisons of all messages).
   *
   * @throws MailApiError; AppError `stale` after the lease was lost. A repeated call continues.
   */
  async sync(signal: AbortSignal, options: PassOptions = {}): Promise<PassResult> {
    const { losses, parked, store } = this.#options
    const pages = this.#report.pages
    const { mustYield, parts } = options
    const memory: PassMemory = { copies: new Map(), report: this.#report, mustYield, signal }
    const { hasRounds, unknownPath, pass } =
      (await this.#syncParts(memory, parts).catch(ignoreUnknownFolder)) ??
      (await this.#syncAll(memory))
    const notified = parts?.messages ?? options.notified
    return {
      hasRounds,
      refusal:
        unknownPath === undefined ? this.#findRefusal(pass) : unknownPathRefusal(unknownPath),
      hasChanges: this.#report.pages > pages,
      dueAt: earliest(await store.findNextPendingAt(), losses.nextRoundAt, parked.nextTryAt),
      unreported: notified ? await findUnreported(pass, notified) : [],
    }
  }

  async #syncAll(memory: PassMemory): Promise<SyncedFeeds> {
    const { api, losses, now, parked, store } = this.#options
    const listing = await this.#listFolders(memory.signal)
    const { folders, named, before, unconfirmed, unknownPath } = listing
    const names = new FolderNames(api.traits.placement, folders, named)
    const writer = await this.#openIndex(names)
    const pass = new FeedPass(this.#options, memory, { writer, names, isListStored: false })
    const stored = this.#cursors.renew(await store.listFeeds())
    const feeds = pairFeeds(api.feeds(folders), stored)
    await storeFolders(pass, { before, named, created: feeds.filter(({ isNew }) => isNew) })
    const required = parked.inOrder(await this.#markRequired(pass, feeds))
    const isUnconfirmed = ({ feed }: FollowedFeed) => unconfirmed.has(feed.folderId ?? '')
    const certain = required.filter((each) => !isUnconfirmed(each))
    const states = await readFeeds(pass, certain, storedTime(pass))
    await retryPending(pass)
    const unlisted = await this.#readUnlisted(pass, required.filter(isUnconfirmed))
    const present = required.filter(({ feed }) => !unlisted.missing.has(feed.folderId ?? ''))
    parked.retain(present.map(({ feed }) => feed))
    const readable = present.filter(({ feed }) => pass.mayRead(feed))
    const due = dueRounds(readable, new Map([...states, ...unlisted.states]))
    const mayStart = ({ feed: { folderId }, state: { stage, cursor } }: FeedInPass) =>
      folderId !== undefined ||
      stage !== 'follow' ||
      // Without a cursor, only a full round (list of all messages) can find new messages of a feed.
      cursor === null ||
      writer.mailbox.filledAt === null ||
      losses.mayStartRound
    const rounds = [...droppedRounds(stored, present), ...due.filter(mayStart)]
    const hasRounds = !unlisted.isComplete || (await runRounds(pass, rounds))
    pass.parkRefused()
    if (!hasRounds) await repairIndex(pass)
    if (writer.mailbox.filledAt === null)
      await writer.commit({ filledAt: now(), syncedAt: now(), feeds: await listIncomplete(pass) })
    return { hasRounds, unknownPath, pass }
  }

  #findRefusal({ names }: FeedPass): MailboxRefusal | undefined {
    const { latest } = this.#options.parked
    return latest && { path: names.mailboxOf(latest.feed.folderId).path, error: latest.error }
  }

  /** Lists the provider's folders to sync, and stored folders that the provider's list left out. */
  async #listFolders(signal: AbortSignal) {
    const { api, account, store } = this.#options
    const { placement } = api.traits
    const listed = await api.folders(signal)
    const before = await store.listFolders()
    const unlisted = placement === 'labels' ? [] : this.#unlisted.find(before, listed)
    const all = [...listed, ...unlisted]
    const folders = selectFolders<NamedFolder>(placement, all, account.paths)
    const selected = new Set(folders)
    const unconfirmed = unlisted.filter((folder) => selected.has(folder))
    return {
      folders,
      before,
      named: mergeFolders(before, [...listed, ...unconfirmed]),
      unconfirmed: new Set(unconfirmed.map(({ id }) => id)),
      unknownPath: findUnknownPath(placement, all, account.paths),
    }
  }

  /**
   * Checks which of the folders exist that the provider's list of folders left out. Reads the feeds
   * (lists of changes) of existing folders, and records the other folders as deleted.
   */
  async #readUnlisted(pass: FeedPass, feeds: readonly FollowedFeed[]) {
    const { api } = pass
    const ids = feeds.flatMap(({ feed }) => feed.folderId ?? [])
    const checked = await this.#unlisted.check(api, ids, pass)
    if (checked.missing.size > 0) await storeMissing(pass, checked.missing)
    const existing = feeds.filter(({ feed }) => checked.existing.has(feed.folderId ?? ''))
    const states =
      existing.length > 0 ? await readFeeds(pass, existing) : new Map<string, FeedState>()
    for (const { feed } of existing)
      if (!states.has(feed.id)) this.#unlisted.forget(feed.folderId ?? '')
    return { ...checked, states }
  }

  /** Runs a sync pass over parts of the mailbox. Undefined if the whole mailbox has to be read. */
  async #syncParts(memory: PassMemory, parts?: PassParts): Promise<SyncedFeeds | undefined> {
    const { api, account, store } = this.#options
    const { placement } = api.traits
    if (!parts || this.#areRoundsRequired || placement === 'labels') return undefined
    const [mailbox, named, states] = await Promise.all([
      store.findMailbox(),
      store.listFolders(),
      store.listFeeds(),
    ])
    if (!this.#isVerified || !mailbox?.filledAt) return undefined
    const listed = named.filter(({ former }) => !former)
    const names = new FolderNames(placement, selectFolders(placement, listed, account.paths), named)
    const writer = new IndexWriter(store, mailbox)
    const pass = new FeedPass(this.#options, memory, { writer, names, isListStored: true })
    const folders = await findFolders(pass, parts)
    if (!folders) return undefined
    const stored = this.#cursors.renew(states)
    const read = stored.filter(({ folder }) => folders.has(folder ?? ''))
    const feeds = read.map((state) => ({ feed: feedOf(state), state }))
    const hold = (moved: readonly FeedState[]) => this.#cursors.hold(moved)
    const current = await readFeeds(pass, feeds, { hold })
    await retryPending(pass)
    pass.parkRefused()
    const hasRounds = [...current.values()].some(needsRound)
    const unknownPath = findUnknownPath(placement, listed, account.paths)
    return { hasRounds, unknownPath, pass }
  }

  /**
   * Marks feeds (lists of changes) that need a full round (of all messages). The marks last after a
   * restart.
   */
  async #markRequired<F extends FollowedFeed>(
    { writer, now }: FeedPass,
    feeds: readonly F[],
  ): Promise<F[]> {
    const { syncedAt } = writer.mailbox
    const isOutage = syncedAt !== null && now().getTime() - syncedAt.getTime() >= outageMs
    const since = this.#areRoundsRequired || isOutage ? Infinity : now().getTime() - roundIntervalMs
    const isDue = ({ feed, state }: F) =>
      feed.folderId !== undefined && !needsRound(state) && Number(state.completedAt) < since
    const marked = feeds.map((each) =>
      isDue(each) ? { ...each, state: { ...each.state, completedAt: null } } : each,
    )
    const changed = marked.filter((each, at) => each !== feeds[at])
    if (changed.length > 0) await writer.commit({ feeds: changed.map(({ state }) => state) })
    this.#areRoundsRequired = false
    return marked
  }

  /**
   * Opens the account's message index. Creates the index if it is missing or incomplete. Only the
   * loss of an index is announced, because message ids stay valid.
   */
  async #openIndex(names: FolderNames): Promise<IndexWriter> {
    const { store } = this.#options
    const mailbox = await store.findMailbox()
    if (!mailbox) return this.#createIndex(names, null, await store.wasInitialized())
    if (!this.#isVerified && (await store.countMessages()) !== mailbox.messages)
      return this.#createIndex(names, mailbox, true)
    this.#isVerified = true
    return new IndexWriter(store, mailbox)
  }

  async #createIndex(
    names: FolderNames,
    before: MailboxState | null,
    isLost: boolean,
  ): Promise<IndexWriter> {
    const { store, account, losses, now } = this.#options
    const epoch = before ? before.epoch + 1 : now().getTime()
    // Clients list the mailbox after its `mailboxReset` event. Only messages that arrive after this
    // event are announced.
    const announceFrom = isLost ? now() : null
    const mailbox = {
      epoch,
      messages: 0,
      announceFrom,
      filledAt: null,
      syncedAt: null,
      repair: null,
    }
    const events = isLost
      ? names.mailboxes.map((each) => mailboxReset({ account, epoch }, each))
      : []
    await store.commit({ epoch: before?.epoch ?? null, reset: true, mailbox, events })
    losses.reset()
    this.#isVerified = true
    return new IndexWriter(store, mailbox)
  }
}

/**
 * Turns an `UnknownFolderError` (message in a folder that was not listed) into undefined, so that
 * all feeds (lists of changes) are read.
 */
function ignoreUnknownFolder(error: unknown): undefined {
  if (!(error instanceof UnknownFolderError)) throw error
}

interface SyncedFeeds {
  hasRounds: boolean
  unknownPath: string | undefined
  pass: FeedPass
}

/**
 * Member of a commit that stores the time of the sync pass. Empty if the time need not be stored.
 */
function storedTime({ api, now, writer: { mailbox } }: FeedPass): { syncedAt?: Date } {
  const ageMs = now().getTime() - Number(mailbox.syncedAt)
  const isStored = api.traits.placement === 'labels' || mailbox.filledAt === null
  return isStored || ageMs < timeStepMs ? {} : { syncedAt: now() }
}

function earliest(...times: (Date | undefined)[]): Date | undefined {
  return times.filter((time) => time !== undefined).sort((one, other) => +one - +other)[0]
}

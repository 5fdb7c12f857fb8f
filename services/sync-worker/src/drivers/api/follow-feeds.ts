import { isMailApiError } from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/backends/provider-limits'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { Semaphore, sleep } from '@posthorn/flow'
import type { MessageReader } from '@posthorn/message-reader'
import type { CommitDeps } from '../../events/commit.ts'
import type { WorkerMetrics } from '../../metrics.ts'
import type { Account } from '../../store/accounts.ts'
import type { Summaries } from '../../summaries/summaries.ts'
import type { Destinations } from '../../watches/destinations.ts'
import type { WatchRegistry } from '../../watches/watch-registry.ts'
import type { DriverContext } from '../account-driver.ts'
import { apiRules, outcomeOf, passOptions, type PollConfig } from './api-rules.ts'
import { createMessageDrafter } from './messages/message-drafter.ts'
import { MailboxFeeds } from './feeds/mailbox-feeds.ts'
import type { RoundLosses } from './feeds/round-losses.ts'
import type { ParkedFeeds } from './feeds/parked-feeds.ts'
import type { PassOptions, PassResult } from './feeds/feed-pass.ts'
import { PostgresFeedStore } from './feeds/stored/postgres-feed-store.ts'
import type { OnRefusal } from './messages/refusals.ts'
import { checkMailboxAddress } from './mailbox-address.ts'
import { type NotifiedAccount, watchedAccount } from './follow-watch.ts'

export interface FollowDeps {
  readonly commit: CommitDeps & {
    readonly settings: SettingsCache
    readonly metrics: WorkerMetrics
  }
  readonly config: PollConfig
  readonly credentials: { whenAvailable(signal: AbortSignal): Promise<void> }
  readonly reader: Pick<MessageReader, 'forAccount'>
  readonly summaries: Summaries
  readonly passes: PassLimits
  readonly provider: Provider
  readonly watches: Pick<WatchRegistry, 'add'>
  readonly destinations: Destinations
}

/**
 * Semaphores that limit the concurrent sync passes of a worker, to limit its memory. The first pass
 * of an account takes minutes. First passes have a separate limit, so that later passes never wait
 * for first passes.
 */
export interface PassLimits {
  readonly first: Semaphore
  readonly later: Semaphore
}

/**
 * Creates the semaphores that limit concurrent sync passes. A first pass takes up to 32 MB, a later
 * pass usually less than 1 MB. A pass with new messages also holds texts: up to 24 MiB of notified
 * and 24 MiB of requested messages. The events of one transaction take 4 MiB, or one message with
 * 25 MiB of attachments, in several copies.
 */
export function createPassLimits(): PassLimits {
  return { first: new Semaphore(20), later: new Semaphore(100) }
}

/** Account whose feeds (lists of changes at the mail API) this worker follows. */
export interface FollowedAccount extends NotifiedAccount {
  readonly context: DriverContext
  /** Folders of the account that the provider refuses to read. Kept in memory across logins. */
  readonly parked: ParkedFeeds
  /** Records of mailbox listings that lacked messages. Kept in memory across logins. */
  readonly losses: RoundLosses
}

/** Delay after a rate limit of the provider if the provider's response contains no delay. */
const defaultLimitMs = 60_000
/**
 * Maximum wait of a request of the monthly index comparison until quota units of the mail API are
 * idle.
 */
const idleTimeoutMs = 5_000
/** Maximum delay after a rate limit of the provider. The longest limits last for a day. */
const maxLimitMs = 86_400_000

/**
 * Logs in, then reads the feeds (lists of changes) of an account in sync passes until a failure.
 * Passes run at intervals, and earlier if a pass is requested. A rate limit of the provider only
 * delays the next pass.
 *
 * @throws AppError of the API or of the credentials; `stale`; the reason of the signal
 */
export async function followFeeds(
  deps: FollowDeps,
  followed: FollowedAccount,
  signal: AbortSignal,
): Promise<void> {
  const { context } = followed
  const { sync } = context
  const account = getAccount(context)
  await afterLimits(context, signal, () => logIn(deps, followed, signal))
  await using syncing = context.enter('syncing')
  // Adds no watch (subscription to provider notifications) after the disposal of the account
  // session, because nothing would remove the watch.
  signal.throwIfAborted()
  const watch = deps.watches.add(watchedAccount(followed, { ...deps, account, signal }))
  followed.watch = watch
  using resources = new DisposableStack()
  resources.defer(() => watch.pause())
  const { notifications } = apiAccountTypes[deps.provider]
  resources.use(sync.start(() => apiRules(deps.config, watch, notifications)))
  const onNew = (receivedAt: Date) => {
    const { action, isComplete } = sync.running ?? {}
    // A poll found a new message without a notification. A partial poll runs so often that the
    // notification may still follow, so the current time counts as the time of the change.
    if (action === 'poll') watch.reportUnannounced(isComplete ? receivedAt : new Date())
  }
  for (let feeds: MailboxFeeds | undefined; ;) {
    const pass = await sync.begin(signal)
    const isFirst = !context.wasSynced
    const opening = { account, isFirst, onNew, signal }
    const current = (feeds ??= await openFeeds(deps, followed, opening))
    if (pass.isMissed) current.requireRounds()
    const options = { ...passOptions(pass, watch), mustYield: () => sync.mustYield }
    const result = await afterLimits(context, signal, () =>
      runPass(deps, current, { isFirst, options, signal }),
    )
    sync.end(outcomeOf(result))
    await syncing[Symbol.asyncDispose]()
    await context.reportSync(result.refusal)
    // Sync passes after the first pass use a client of the mail API whose requests have another
    // priority.
    if (isFirst) feeds = undefined
  }
}

function getAccount({ account }: DriverContext): Account {
  if (!account) throw new AppError('unavailable', 'The account has no mail server')
  return account
}

/**
 * Logs the account in at its mail API, which proves that the credentials permit access to the
 * mailbox.
 */
async function logIn(
  { commit, credentials, passes }: FollowDeps,
  followed: FollowedAccount,
  signal: AbortSignal,
): Promise<void> {
  const { context } = followed
  await credentials.whenAvailable(signal)
  using _permit = await passes.later.acquire(signal)
  const address = await readAddress(commit, followed, signal)
  await context.reportLogin(address)
}

/**
 * Reads the address of the account's mailbox from the provider. The account state `connecting` ends
 * before the login is reported.
 */
async function readAddress(
  { db }: Pick<CommitDeps, 'db'>,
  followed: FollowedAccount,
  signal: AbortSignal,
): Promise<string> {
  const { context } = followed
  await using _connecting = context.enter('connecting')
  const api = await followed.open({ priority: 'sync' }, signal)
  const { address } = await api.profile(signal)
  const login = { db, account: getAccount(context), api, log: context.log }
  await checkMailboxAddress(login, address, signal)
  return address
}

interface FeedsOpening {
  account: Account
  isFirst: boolean
  /**
   * Called for each new message of the account. `receivedAt` is the time at which the message
   * arrived.
   */
  onNew: (receivedAt: Date) => void
  signal: AbortSignal
}

async function openFeeds(
  { commit, reader, summaries }: FollowDeps,
  followed: FollowedAccount,
  { account, isFirst, onNew, signal }: FeedsOpening,
): Promise<MailboxFeeds> {
  const api = await followed.open({ priority: isFirst ? 'initial-sync' : 'sync' }, signal)
  const read = reader.forAccount(account.account, signal)
  const { settings } = commit
  const onRefusal: OnRefusal = ({ part, ...fields }) => {
    commit.metrics.contentRefused(part)
    followed.context.log.warn({ part, ...fields }, 'provider refuses content of a message')
  }
  const drafter = createMessageDrafter({ api, settings, summaries, read, onRefusal, signal })
  /**
   * Number of messages that the provider last left out of the list of each folder as unreadable.
   * Only changes of the number are logged.
   */
  const unreadable = new Map<string, number>()
  return new MailboxFeeds({
    api,
    account,
    onRefusal,
    parked: followed.parked,
    losses: followed.losses,
    onUnreadable: ({ id: folder }, count) => {
      commit.metrics.messagesUnreadable(count)
      if (unreadable.get(folder) === count) return
      unreadable.set(folder, count)
      followed.context.log.warn({ folder, count }, 'provider cannot list messages of a folder')
    },
    onLostCursor: ({ id: feed }, error) => {
      commit.metrics.cursorLost(error.incomplete ? 'damaged' : 'expired')
      followed.context.log.info({ feed, err: error }, 'changes are unavailable, full list follows')
    },
    onIncompleteList: (list) => {
      commit.metrics.listIncomplete()
      followed.context.log.warn(list, 'provider lists fewer messages than expected')
    },
    openIdle: () => followed.open({ priority: 'initial-sync', timeoutMs: idleTimeoutMs }, signal),
    onRepair: (outcome, repaired) => {
      commit.metrics.indexRepaired(outcome, repaired)
      if (repaired > 0)
        followed.context.log.warn({ outcome, repaired }, 'message index had differences, repaired')
    },
    onParked: ({ feed, error, isNew }) => {
      commit.metrics.folderRefused(error.failure)
      if (isNew)
        followed.context.log.warn({ folder: feed.id, err: error }, 'provider refuses a folder')
    },
    store: new PostgresFeedStore(commit, account),
    drafter: {
      ...drafter,
      draft(message, names) {
        onNew(message.receivedAt)
        return drafter.draft(message, names)
      },
    },
    now: () => new Date(),
  })
}

async function runPass(
  { passes, commit: { metrics } }: FollowDeps,
  feeds: MailboxFeeds,
  { isFirst, options, signal }: { isFirst: boolean; options: PassOptions; signal: AbortSignal },
): Promise<PassResult> {
  using _permit = await (isFirst ? passes.first : passes.later).acquire(signal)
  const startedAt = performance.now()
  const result = await feeds.sync(signal, options)
  metrics.syncPassed((performance.now() - startedAt) / 1_000)
  return result
}

/**
 * Repeats a login or a sync pass after a rate limit of the mail provider, which is no failure of
 * the account.
 */
async function afterLimits<T>(
  { log }: Pick<DriverContext, 'log'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'rate-limited') throw error
      if (isMailApiError(error, 'mailbox-full')) throw error
      const { ttl = defaultLimitMs / 1_000 } = error.extras
      const delayMs = Math.min(ttl * 1_000, maxLimitMs)
      log.warn({ err: error, delayMs }, 'provider limits the requests, waiting')
      await sleep(delayMs, signal)
    }
  }
}

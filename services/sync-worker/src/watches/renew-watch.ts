import { isMailApiError } from '@posthorn/backends/mail-api'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import { deriveEventId } from '@posthorn/db'
import { AppError, messageOf } from '@posthorn/errors'
import { backoff } from '@posthorn/flow'
import { commit, type CommitDeps } from '../events/commit.ts'
import { type ApiWatchRow, hasFailedWatch, replaceApiWatch } from '../store/api/watches.ts'
import type { AccountWatch } from './account-watch.ts'
import { type RegisteredWatch, registerWatch } from './register-watch.ts'
import type { WatchMetrics } from './watch-metrics.ts'

export interface RenewalDeps {
  readonly commit: CommitDeps
  readonly metrics: Pick<WatchMetrics, 'watchRenewed'>
  readonly now: () => number
  /**
   * Returns false after the end of the account session whose watch (registration for notifications)
   * is renewed.
   */
  readonly isCurrent: () => boolean
}

const dayMs = 86_400_000
/** Delay before an account without a destination for notifications is tried again. */
const withoutDestinationMs = 600_000
/** Timeout of registering for notifications, including the provider's check of the destination. */
const timeoutMs = 60_000

/**
 * Registers or renews the watch (registration for notifications) of an account and stores the
 * result. A failure is repeated with backoff. The event `connectError` reports a lasting failure
 * once. The state of the account does not change, because polling continues. Never rejects.
 */
export async function renewWatch(
  deps: RenewalDeps,
  watch: AccountWatch,
  stop: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  try {
    const api = await watch.account.openWatches()
    if (!api) return watch.endWithoutDestination(deps.now() + withoutDestinationMs)
    await store(deps, watch, await registerWatch(watch, api, { signal, now: deps.now }))
  } catch (error) {
    if (stop.aborted || !deps.isCurrent() || isStale(error)) return postpone(deps, watch)
    deps.metrics.watchRenewed('failed')
    await storeFailure(deps, watch, error).catch((err: unknown) => {
      postpone(deps, watch)
      if (!isStale(err)) watch.account.log.warn({ err }, 'storing the state of a watch failed')
    })
  } finally {
    watch.pendingHash = undefined
    watch.isCreating = false
  }
}

/**
 * Postpones the renewal of a watch (registration for notifications) for 30 s. Called if the account
 * belongs to another worker now, or if Postgres is unavailable.
 */
function postpone({ now }: RenewalDeps, watch: AccountWatch): void {
  watch.renewAt = now() + 30_000
}

async function store(
  deps: RenewalDeps,
  watch: AccountWatch,
  { id, expiresAt, ended, hash, isNew }: RegisteredWatch,
): Promise<void> {
  const wasLost = watch.isLost || Boolean(watch.row?.remoteId)
  const row: ApiWatchRow = {
    remoteId: id,
    clientStateHash: hash,
    expiresAt,
    renewAt: new Date(renewalTime(expiresAt.getTime(), deps.now())),
    state: 'active',
    lastNotifiedAt: watch.notifiedAt ?? watch.row?.lastNotifiedAt ?? null,
    attemptedAt: new Date(deps.now()),
    createFailures: 0,
    renewFailures: 0,
    lastError: null,
  }
  const { lease } = watch.account
  await commit(deps.commit, lease, (tx) => replaceApiWatch(tx, lease.account, row))
  apply(watch, row)
  if (ended) watch.renewOnce(ended, deps.now)
  if (isNew) watch.isLost = false
  // A watch (registration for notifications) that was lost during its renewal is registered again
  // immediately.
  else if (watch.isLost) watch.renewAt = deps.now()
  watch.failures = 0
  deps.metrics.watchRenewed(isNew ? 'created' : 'renewed')
  if (isNew) watch.catchUp(wasLost)
}

/**
 * Computes the time of the next renewal of a watch (registration for notifications): after a day,
 * or after half of the watch's remaining life if that is shorter. Varies by ± 10 %, so that the
 * renewals of accounts are spread.
 */
function renewalTime(expiresAt: number, now: number): number {
  return now + Math.min(dayMs, (expiresAt - now) / 2) * (0.9 + 0.2 * Math.random())
}

async function storeFailure(deps: RenewalDeps, watch: AccountWatch, error: unknown): Promise<void> {
  const now = deps.now()
  watch.failures += 1
  const isActive = watch.isActive(now)
  const { failures, row: current } = watch
  const { provider } = watch.account
  const failure = failureOfWatch(error, { provider, failures, isActive })
  const renewAt = new Date(now + failure.retryMs)
  watch.renewAt = renewAt.getTime()
  const attempt = { ...countFailure(watch), attemptedAt: new Date(now), renewAt }
  if (failure.isReported) return reportFailure(deps, watch, { error, failure, attempt })
  if (!current) return
  const row = { ...current, ...attempt }
  const { lease } = watch.account
  await commit(deps.commit, lease, (tx) => replaceApiWatch(tx, lease.account, row))
  apply(watch, row)
}

type Attempt = Pick<ApiWatchRow, 'attemptedAt' | 'createFailures' | 'renewFailures' | 'renewAt'>

interface FailedAttempt {
  error: unknown
  failure: WatchFailure
  attempt: Attempt & { attemptedAt: Date }
}

async function reportFailure(
  deps: RenewalDeps,
  watch: AccountWatch,
  { error, failure, attempt }: FailedAttempt,
): Promise<void> {
  const { row: current, account: watched } = watch
  const { lease, registeredAt, log } = watched
  const { account } = lease
  const now = attempt.attemptedAt
  const data = { response: failure.response, serverResponseCode: watchErrorCode }
  const row: ApiWatchRow = {
    remoteId: current?.remoteId ?? '',
    clientStateHash: current?.clientStateHash ?? null,
    expiresAt: current?.expiresAt ?? now,
    lastNotifiedAt: watch.notifiedAt ?? current?.lastNotifiedAt ?? null,
    ...attempt,
    state: 'failed',
    lastError: data,
  }
  const isFirst = await commit(deps.commit, lease, async (tx, record) => {
    const first = !(await hasFailedWatch(tx, account))
    await replaceApiWatch(tx, account, row)
    const eventId = deriveEventId(['connectError', account, registeredAt, 'watch', now.getTime()])
    if (first) await record([{ event: 'connectError', account, data, eventId }])
    return first
  })
  apply(watch, row)
  if (isFirst) log.warn({ err: error }, 'provider refused notifications')
}

/**
 * Counts the failed registrations and renewals of an account's watch since the last success. If no
 * watch (registration for notifications) is stored, all failures are failures to create a watch.
 */
function countFailure({ row, failures, isCreating }: AccountWatch) {
  if (!row) return { createFailures: failures, renewFailures: 0 }
  return {
    createFailures: row.createFailures + (isCreating ? 1 : 0),
    renewFailures: row.renewFailures + (isCreating ? 0 : 1),
  }
}

function apply(watch: AccountWatch, row: ApiWatchRow): void {
  watch.row = row
  watch.renewAt = row.renewAt.getTime()
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'stale'
}

/**
 * Code in `connectError` for a failed registration for notifications, independent of the provider's
 * error code.
 */
const watchErrorCode = 'SubscriptionSetupError'
/** Maximum characters that are stored of a provider's error text. */
const maxTextLength = 1_000
/**
 * Failures to register for notifications that may end without a change at the provider. A temporary
 * failure that is repeated counts as a refusal.
 */
const temporary = ['unavailable', 'rate-limited', 'token-rejected', 'unlicensed'] as const
/**
 * Consecutive temporary failures to register for notifications before the missing registration is
 * reported, about 8 min.
 */
const maxTemporary = 5
/** Delay before a failed registration for notifications is repeated: 30 s, doubling up to 1 h. */
const retryDelayMs = backoff({ baseMs: 30_000, maxMs: 3_600_000, jitter: 0.1 })

interface WatchFailure {
  readonly response: string
  readonly retryMs: number
  /**
   * True if the failure to register for notifications must be reported to the owner of the account:
   * the provider refuses the registration, or the account has had none for minutes.
   */
  readonly isReported: boolean
}

/**
 * Decides what follows the n-th consecutive failure to register for notifications: the delay until
 * the next attempt, and whether the failure is reported.
 */
function failureOfWatch(
  error: unknown,
  { provider, failures, isActive }: { provider: Provider; failures: number; isActive: boolean },
): WatchFailure {
  const isTemporary =
    !isMailApiError(error) || temporary.some((failure) => error.failure === failure)
  const requestedMs = isMailApiError(error) ? (error.retryAfterMs ?? 0) : 0
  return {
    response: messageOf(error).slice(0, maxTextLength),
    retryMs: Math.max(retryDelayMs(failures), requestedMs),
    isReported: isTemporary
      ? !isActive && failures >= maxTemporary
      : failures >= apiAccountTypes[provider].notifications.maxRefusals,
  }
}

import type { NotificationTraits } from '@posthorn/contracts/account-types'
import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import type { Config } from '../../config.ts'
import type { WatchHandle } from '../../watches/account-watch.ts'
import { noIntervals, type SyncRules } from '../sync-rules.ts'
import type { SyncOutcome, SyncPass } from '../sync-schedule.ts'
import type { PassOptions, PassParts, PassResult } from './feeds/feed-pass.ts'

/** Special uses of the folders that are polled most if the provider refuses notifications. */
const mainUses: readonly SpecialUse[] = ['\\Inbox', '\\Sent', '\\Drafts', '\\Junk']
/**
 * Poll intervals of the main folders and of all folders if the provider refuses to send
 * notifications. In multiples of `apiPollMs`; by default 60 s and 15 min.
 */
const refusedIntervals = { main: 4 / 3, all: 20 }

/**
 * Mean poll interval of the inbox while notifications are received, and its deviation. In fractions
 * of `apiPollInboxMs`, chosen so that no interval exceeds `apiPollInboxMs`. The polls find mail
 * whose notification was lost.
 */
const inboxInterval = { mean: 0.9, spread: 1 / 9 }

export type PollConfig = Pick<Config, 'apiPollMs' | 'apiPollNotifiedMs' | 'apiPollInboxMs'>

type WatchState = Pick<WatchHandle, 'isActive' | 'isRefused'>

/** Computes the poll intervals of an account at a mail API from the state of its watch. */
export function apiRules(
  { apiPollMs, apiPollNotifiedMs, apiPollInboxMs }: PollConfig,
  { isActive, isRefused }: WatchState,
  { isLossy }: Pick<NotificationTraits, 'isLossy'>,
): SyncRules {
  if (isActive && isLossy && apiPollInboxMs < apiPollNotifiedMs)
    return {
      ...noIntervals,
      pollMs: inboxInterval.mean * apiPollInboxMs,
      pollSpread: inboxInterval.spread,
      completeMs: apiPollNotifiedMs,
    }
  const silentMs = isRefused ? refusedIntervals.main * apiPollMs : apiPollMs
  return {
    ...noIntervals,
    pollMs: isActive ? apiPollNotifiedMs : silentMs,
    completeMs: isRefused ? refusedIntervals.all * apiPollMs : 0,
  }
}

/** Selects the parts of the mailbox that a sync pass reads. */
export function passOptions(
  { action, isComplete, messages }: SyncPass,
  watch: Pick<WatchState, 'isActive'>,
): PassOptions {
  const notified = new Map([...messages].map(([id, { isDeleted }]) => [id, isDeleted]))
  if (isComplete) return { notified }
  return { parts: { messages: notified, ...(action === 'poll' ? polled(watch) : polledNothing) } }
}

const polledNothing = { specialUses: [] }

/** Folders that a partial poll reads. Only the inbox while the provider sends notifications. */
function polled({ isActive }: Pick<WatchState, 'isActive'>): Omit<PassParts, 'messages'> {
  return isActive ? { specialUses: ['\\Inbox'] } : { specialUses: mainUses, otherwiseAll: true }
}

/** Converts the result of a sync pass to the outcome that the sync schedule uses. */
export function outcomeOf({ dueAt, hasRounds, hasChanges, unreported }: PassResult): SyncOutcome {
  return { hasRounds, hasChanges, unreported, retryAt: dueAt?.getTime() }
}

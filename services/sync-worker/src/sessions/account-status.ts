import { isDeepStrictEqual } from 'node:util'
import { deriveEventId } from '@posthorn/db'
import type { Deps } from '../deps.ts'
import { commitBatched, type LockedItem, type WriteResult } from '../events/commit-batched.ts'
import type { AccountLease } from '../store/lease.ts'
import { saveAccountStatuses } from '../store/account-states.ts'
import { type StatusTrigger, type AccountStatus, transition } from './status-transition.ts'

/** Something that happened to an account. */
export interface StatusUpdate {
  readonly lease: AccountLease
  /** Part of the ids of the events that tell of it. */
  readonly registeredAt: number
  readonly trigger: StatusTrigger
  /** How the account is doing, where that is known: as this lease stored it last, or found it. */
  readonly from?: AccountStatus
}

export interface StatusUpdateResult {
  readonly status: AccountStatus
  /** It was in another one before, or fails in another way. */
  readonly changed: boolean
}

/**
 * Takes what happened into the stored state, with its events; that of accounts at the same time in one transaction. Where nothing becomes
 * different there is none: an account that comes back after a restart is as it was, but for the time of its sync.
 */
export type ApplyStatusUpdate = (occurrence: StatusUpdate) => Promise<StatusUpdateResult>

export function createStatusUpdater(
  deps: Pick<
    Deps,
    'db' | 'bus' | 'settings' | 'metrics' | 'markPublished' | 'config' | 'syncTimes'
  >,
): ApplyStatusUpdate {
  const { maxAuthFailureMs } = deps.config
  const store = commitBatched<StatusUpdate, StatusUpdateResult>(deps, async (tx, held) => {
    const moved = held.map((each) => move(each, maxAuthFailureMs))
    await saveAccountStatuses(
      tx,
      moved.flatMap(({ account, standing, same }) => (same ? [] : [{ ...standing, account }])),
    )
    return moved
  })
  return async (occurrence) => {
    const { lease, from, trigger: happening } = occurrence
    if (!from) return store(occurrence)
    const { status: standing, events } = transition(from, happening, {
      now: new Date(),
      maxAuthFailureMs,
    })
    const same = isDeepStrictEqual(from, { ...standing, syncTime: from.syncTime })
    if (!same || events.length > 0) return store(occurrence)
    if (standing.syncTime && standing.syncTime !== from.syncTime)
      deps.syncTimes.add(lease, standing.syncTime)
    return { status: standing, changed: false }
  }
}

interface Moved extends WriteResult<StatusUpdateResult> {
  account: string
  standing: AccountStatus
  same: boolean
}

function move(
  { item: { lease, registeredAt, trigger: happening }, status: found }: LockedItem<StatusUpdate>,
  maxAuthFailureMs: number,
): Moved {
  const { account } = lease
  const { now, ...from } = found
  const { status: standing, events } = transition(from, happening, { now, maxAuthFailureMs })
  return {
    account,
    standing,
    same: isDeepStrictEqual(from, standing),
    result: { status: standing, changed: standing.stateEpoch !== from.stateEpoch },
    events: events.map(({ event, key, data }) => ({
      event,
      account,
      data,
      eventId: deriveEventId([event, account, registeredAt, key]),
    })),
  }
}

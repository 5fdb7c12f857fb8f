import { isDeepStrictEqual } from 'node:util'
import { deriveEventId } from '@posthorn/db'
import type { Config } from '../config.ts'
import {
  commitBatched,
  type CommitDeps,
  type LockedItem,
  type WriteResult,
} from '../events/commit.ts'
import { type AccountStatus, saveAccountStatuses } from '../store/account-status.ts'
import type { AccountLease } from '../store/lease.ts'
import type { SyncTimes } from './deferred-writes.ts'
import { type StatusTrigger, transition } from './status-transition.ts'

/** Change of an account's status, with the trigger of the change, such as a login. */
export interface StatusUpdate {
  readonly lease: AccountLease
  /** Registration time of the account, a part of event ids. */
  readonly registeredAt: number
  readonly trigger: StatusTrigger
  /** Stored account status, if cached. Only the holder of the account's lease changes it. */
  readonly from?: AccountStatus
}

export interface StatusUpdateResult {
  readonly status: AccountStatus
  /** True if the state or the error of the account changed. */
  readonly changed: boolean
}

/**
 * Applies a trigger to the stored account status and records the events of the transition. One
 * transaction serves many accounts. A change of the sync time alone causes no transaction, because
 * sync times are stored periodically.
 */
export type ApplyStatusUpdate = (update: StatusUpdate) => Promise<StatusUpdateResult>

interface StatusUpdaterDeps extends CommitDeps {
  readonly config: Pick<Config, 'maxAuthFailureMs'>
  readonly syncTimes: SyncTimes
}

export function createStatusUpdater(deps: StatusUpdaterDeps): ApplyStatusUpdate {
  const { maxAuthFailureMs } = deps.config
  const store = commitBatched<StatusUpdate, StatusUpdateResult>(deps, async (tx, items) => {
    const updates = items.map((item) => applyTransition(item, maxAuthFailureMs))
    await saveAccountStatuses(
      tx,
      updates.flatMap(({ account, status, isSame }) => (isSame ? [] : [{ ...status, account }])),
    )
    return updates
  })
  return async (update) => {
    const { lease, from, trigger } = update
    if (!from) return store(update)
    const { status, events } = transition(from, trigger, { now: new Date(), maxAuthFailureMs })
    const isSame = isDeepStrictEqual(from, { ...status, syncTime: from.syncTime })
    if (!isSame || events.length > 0) return store(update)
    if (status.syncTime && status.syncTime !== from.syncTime)
      deps.syncTimes.add(lease, status.syncTime)
    return { status, changed: false }
  }
}

interface AppliedTransition extends WriteResult<StatusUpdateResult> {
  account: string
  status: AccountStatus
  isSame: boolean
}

function applyTransition(
  { item: { lease, registeredAt, trigger }, status: locked }: LockedItem<StatusUpdate>,
  maxAuthFailureMs: number,
): AppliedTransition {
  const { account } = lease
  const { now, ...from } = locked
  const { status, events } = transition(from, trigger, { now, maxAuthFailureMs })
  return {
    account,
    status,
    isSame: isDeepStrictEqual(from, status),
    result: { status, changed: status.stateEpoch !== from.stateEpoch },
    events: events.map(({ event, key, data }) => ({
      event,
      account,
      data,
      eventId: deriveEventId([event, account, registeredAt, key]),
    })),
  }
}

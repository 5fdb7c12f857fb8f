import type { LiveChange, LiveTopic } from '@posthorn/contracts/admin/live'
import { accountsKey, deliveriesKey, outboxKey, statsKey, workersKey } from '../cache-keys.ts'
import type { LiveFrame } from './live-client.ts'
import { RefreshThrottle } from './refresh-throttle.ts'

type Key = readonly unknown[]

/**
 * Cache of the data that the administration pages have loaded, as far as live updates change it.
 */
export interface LiveCache {
  /** Replaces the data that the cache of the pages has under a key. */
  set: (key: Key, data: unknown) => void
  /**
   * Loads cached data of the pages again whose cache keys start with a key, as far as a page shows
   * the data.
   */
  refresh: (key: Key) => void
}

/**
 * Minimum time in milliseconds between two loads of the same list because of live updates, also if
 * the list changes all the time.
 */
const refreshMs = 3_000

const accountListKey = [...accountsKey, 'list'] as const

/**
 * Cache keys of the data that is loaded again when anything about a topic of live updates may have
 * changed.
 */
const keysOf: Readonly<Partial<Record<LiveTopic, readonly Key[]>>> = {
  changes: [accountListKey, [...accountsKey, 'one']],
  outbox: [outboxKey],
  deliveries: [deliveriesKey],
}

/** Creates the functions that apply live updates to the cache of the pages. */
export function applyLiveFrames(cache: LiveCache) {
  const throttle = new RefreshThrottle(refreshMs, cache.refresh)
  const refresh = (topics: readonly LiveTopic[]) => {
    for (const topic of topics) for (const key of keysOf[topic] ?? []) throttle.changed(key)
  }
  const applyChanges = (changes: readonly LiveChange[]) => {
    throttle.changed(accountListKey)
    for (const account of new Set(changes.map((change) => change.account)))
      if (account !== null) throttle.changed([...accountsKey, 'one', account])
  }
  return {
    onFrame: ({ event, data }: LiveFrame): void => {
      if (event === 'figures') cache.set(statsKey, data)
      if (event === 'workers') cache.set(workersKey, data)
      if (event === 'changes') applyChanges(data as LiveChange[])
      if (event === 'refresh') refresh(data as LiveTopic[])
    },
    /** Loads the data of topics again that may have changed while no live updates arrived. */
    onLive: refresh,
  }
}

import type { LiveChange, LiveTopic } from '@posthorn/contracts/admin/live'
import { accountsKey, deliveriesKey, outboxKey, statsKey, workersKey } from '../cache-keys.ts'
import type { EventFrame } from './event-frames.ts'
import { RefreshThrottle } from './refresh-throttle.ts'

type Key = readonly unknown[]

/** Cache of the pages, as far as live updates change the cache. */
export interface LiveCache {
  /** Replaces the data with a cache key. */
  set: (key: Key, data: unknown) => void
  /** Loads the data again whose cache keys start with a key, as far as a page shows the data. */
  refresh: (key: Key) => void
}

/**
 * Minimum time in milliseconds between two loads of the same list, also if it changes all the time.
 */
const refreshMs = 3_000

/** Lists that are loaded again when a topic has changed. */
const listsOf: Readonly<Partial<Record<LiveTopic, Key>>> = {
  changes: [...accountsKey, 'list'],
  outbox: outboxKey,
  deliveries: deliveriesKey,
}

/** Creates the functions that apply live updates to the cache of the pages. */
export function applyLiveFrames(cache: LiveCache) {
  const throttle = new RefreshThrottle(refreshMs, cache.refresh)
  const refreshList = (topic: LiveTopic) => {
    const key = listsOf[topic]
    if (key) throttle.changed(key)
  }
  const applyChanges = (changes: readonly LiveChange[]) => {
    refreshList('changes')
    for (const account of new Set(changes.map((change) => change.account)))
      if (account !== null) throttle.changed([...accountsKey, 'one', account])
  }
  return {
    onFrame: ({ event, data }: EventFrame): void => {
      if (event === 'figures') cache.set(statsKey, data)
      if (event === 'workers') cache.set(workersKey, data)
      if (event === 'changes') applyChanges(data as LiveChange[])
      if (event === 'refresh') (data as LiveTopic[]).forEach(refreshList)
    },
    /** Loads again what may have changed while no live updates arrived. */
    onLive: (topics: readonly LiveTopic[]): void => {
      topics.forEach(refreshList)
      if (topics.includes('changes')) throttle.changed([...accountsKey, 'one'])
    },
  }
}

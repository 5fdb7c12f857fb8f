import type { EventEntry } from './events.ts'

/**
 * Event that arrived while the list of events is live. The state of its webhook deliveries is not
 * yet known.
 */
export type LiveEvent = Omit<EventEntry, 'deliveryState'> & Partial<EventEntry>

/** Maximum number of live events that a page shows. */
export const maxLiveEvents = 200

/** Parses the data of frames in the stream of live events. */
export function parseLiveEvents(data: readonly string[]): LiveEvent[] {
  return data.map((text) => JSON.parse(text) as LiveEvent)
}

/** Adds events, oldest first, to the live events of a page, latest first. */
export function addLiveEvents(
  events: readonly LiveEvent[],
  added: readonly LiveEvent[],
): readonly LiveEvent[] {
  return [...added.toReversed(), ...events].slice(0, maxLiveEvents)
}

/**
 * Live events, followed by the events of the loaded list. An event in both is shown as in the
 * loaded list, which has the state of its webhook deliveries.
 */
export function mergeEvents(
  live: readonly LiveEvent[],
  listed: readonly LiveEvent[],
): readonly LiveEvent[] {
  const ids = new Set(listed.map(({ id }) => id))
  return [...live.filter(({ id }) => !ids.has(id)), ...listed]
}

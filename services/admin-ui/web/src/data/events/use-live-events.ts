import { followEvents } from '@posthorn/client/operations'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pause } from '../live/pause.ts'
import { calls } from '../query-client.ts'
import { type EventEntry, eventsKey } from './events.ts'
import { followStream, type StreamState } from './follow-stream.ts'
import { addLiveEvents, type LiveEvent, parseLiveEvents } from './live-events.ts'

/** Interval after which a lost stream of live events is opened again. */
const reconnectMs = 3_000

/** Filter of the live events. Absent members match any event. */
export type LiveFilter = Partial<Pick<EventEntry, 'account' | 'event'>>

export interface LiveEvents {
  state: StreamState
  /** Events that arrived since the page is live, latest first. */
  events: readonly LiveEvent[]
}

const nothing: LiveEvents = { state: 'connecting', events: [] }

/**
 * Follows new events while `isLive` is true. The list of events is loaded again after the stream
 * has started, so that list and stream together contain each event.
 */
export function useLiveEvents(filter: LiveFilter, isLive: boolean): LiveEvents {
  const [live, setLive] = useState(nothing)
  const client = useQueryClient()
  const key = JSON.stringify(filter)
  useEffect(() => {
    setLive(nothing)
    if (!isLive) return
    const stop = new AbortController()
    const reload = () => void client.invalidateQueries({ queryKey: [...eventsKey, 'list'] })
    let isListed = false
    void followStream({
      open: (lastEventId, signal) => {
        const position = lastEventId === undefined ? {} : { lastEventId }
        return followEvents(
          calls.api,
          { ...(JSON.parse(key) as LiveFilter), ...position },
          { signal },
        )
      },
      onData: (data) => {
        const added = parseLiveEvents(data)
        setLive(({ state, events }) => ({ state, events: addLiveEvents(events, added) }))
      },
      onState: (state) => {
        setLive((before) => (before.state === state ? before : { ...before, state }))
        if (state !== 'live' || isListed) return
        isListed = true
        reload()
      },
      onLost: reload,
      wait: (signal) => pause(reconnectMs, signal),
      signal: stop.signal,
    })
    return () => stop.abort()
  }, [client, key, isLive])
  return live
}

import { useSyncExternalStore } from 'react'
import { exactTime, relativeTime } from './relative-time.ts'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** Interval at which a page updates its relative times, such as `3 minutes ago`. */
const tickMs = 5_000

/**
 * Calls a listener each time that the relative times on a page must be updated. All listeners share
 * one timer.
 */
function subscribe(listener: () => void): () => void {
  // The time `now` is not updated while the page shows no relative time.
  if (timer === undefined) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Element that shows a time relative to now. Its title has the exact time in the time zone of the
 * reader.
 */
export function Time({ value }: { value: string }) {
  const current = useSyncExternalStore(subscribe, () => now)
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return <span>{value}</span>
  // A time that has passed since the last update of the relative times is shown as now, and not as
  // a time in the future.
  const shownNow = new Date(Math.max(current, Math.min(date.getTime(), Date.now())))
  return (
    <time dateTime={value} title={exactTime(date)}>
      {relativeTime(date, shownNow)}
    </time>
  )
}

import { useSyncExternalStore } from 'react'
import { exactTime, relativeTime } from './relative-time.ts'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** Interval at which the shown ages change. */
const tickMs = 5_000

/** One timer for all times on the page. */
function subscribe(listener: () => void): () => void {
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

/** Time relative to now. The exact time in the zone of the reader is in the title. */
export function Time({ value }: { value: string }) {
  const current = useSyncExternalStore(subscribe, () => now)
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return <span>{value}</span>
  const shownNow = new Date(Math.max(current, Math.min(date.getTime(), Date.now())))
  return (
    <time dateTime={value} title={exactTime(date)}>
      {relativeTime(date, shownNow)}
    </time>
  )
}

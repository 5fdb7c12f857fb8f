import type { Bus } from '@posthorn/bus'

export type ChangeBroadcaster = ReturnType<typeof createChangeBroadcaster>

/**
 * Minimum interval of broadcasts about account changes. Thousands of accounts change when a worker
 * starts: one broadcast serves all accounts.
 */
const minIntervalMs = 100

/**
 * Notifies the readers of `account_changes` of new rows.
 *
 * Sends the first broadcast immediately, later broadcasts at most ten times a second. Losses of
 * broadcasts are harmless: readers also poll once a second.
 */
export function createChangeBroadcaster(bus: Pick<Bus, 'up' | 'invalidate'>) {
  let timer: NodeJS.Timeout | undefined
  let isPending = false
  const send = () => {
    isPending = false
    if (bus.up) bus.invalidate({ topic: 'changes' }).catch(() => undefined)
    timer = setTimeout(() => {
      timer = undefined
      if (isPending) send()
    }, minIntervalMs)
    timer.unref()
  }
  return {
    broadcast() {
      if (timer) isPending = true
      else send()
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

import type { Bus } from '@posthorn/bus'

export type ChangeBroadcaster = ReturnType<typeof createChangeBroadcaster>

/**
 * Minimum interval of broadcasts about account changes. When a worker starts, thousands of accounts
 * change, and one broadcast is sufficient for all of them.
 */
const minIntervalMs = 100

/**
 * Notifies the readers of the table `account_changes` of new rows. Sends the first broadcast
 * immediately, and later broadcasts at most ten times a second. A lost broadcast is harmless,
 * because readers also poll once a second.
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

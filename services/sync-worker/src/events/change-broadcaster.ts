import type { Bus } from '@posthorn/bus'

/** Tells whoever follows the accounts' states that there is something to read. */
export interface ChangeBroadcaster extends Disposable {
  broadcast(): void
}

/** Thousands of accounts change their states at once when a worker starts: one word tells of all of them. */
const everyMs = 100

/** Says so at once, then at most ten times a second. What is lost is found by its readers within a second. */
export function createChangeBroadcaster(bus: Pick<Bus, 'up' | 'invalidate'>): ChangeBroadcaster {
  let resting: NodeJS.Timeout | undefined
  let again = false
  const say = () => {
    again = false
    if (bus.up) bus.invalidate({ topic: 'changes' }).catch(() => undefined)
    resting = setTimeout(() => {
      resting = undefined
      if (again) say()
    }, everyMs)
    resting.unref()
  }
  return {
    broadcast() {
      if (resting) again = true
      else say()
    },
    [Symbol.dispose]: () => clearTimeout(resting),
  }
}

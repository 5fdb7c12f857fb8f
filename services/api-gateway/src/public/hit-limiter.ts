import { type Clock, KeyedRateLimiter } from '@posthorn/flow'

/** Hits of one link that count immediately; one message may go to many recipients. */
const burst = 100
const perSecond = 1
/** Maximum number of links tracked. An evicted link starts with a full burst. */
const maxLinks = 20_000

/** Creates a check whether a hit of a link counts, which protects the events table from floods. */
export function createHitLimiter(clock: Clock = Date.now): (link: string) => boolean {
  const limiter = new KeyedRateLimiter({ perSecond, burst, maxKeys: maxLinks, clock })
  return (link) => limiter.tryAcquire(link)
}

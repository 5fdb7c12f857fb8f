import { LRUCache } from 'lru-cache'

/** Hits of one link that count at once, and how fast more do. One message may go to many people. */
const burst = 100
const perSecond = 1
/** Links that are remembered; a link that was forgotten begins anew. */
const maxLinks = 20_000

interface Bucket {
  left: number
  at: number
}

/** Whether a hit of a link still counts: a link that is hammered must not fill the table of events. */
export function createHitLimiter(now: () => number = Date.now): (link: string) => boolean {
  const buckets = new LRUCache<string, Bucket>({ max: maxLinks })
  return (link) => {
    const at = now()
    const known = buckets.get(link) ?? { left: burst, at }
    const left = Math.min(burst, known.left + ((at - known.at) / 1000) * perSecond)
    const counts = left >= 1
    buckets.set(link, { left: counts ? left - 1 : left, at })
    return counts
  }
}

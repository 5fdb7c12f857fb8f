/** Item (webhook delivery) that waits in memory for its start. */
export interface LaneItem {
  lane: string
  /**
   * Name of the chain of an item (webhook delivery). Items of one chain run one after the other, in
   * FIFO order.
   */
  chain: string
  /** Bytes of memory that the waiting webhook delivery uses. */
  bytes: number
}

/** Serial sequence of webhook deliveries. */
export interface Chain<T> {
  name: string
  items: T[]
}

/** Queue of the webhook deliveries of one target that are in memory. */
export interface Lane<T> {
  name: string
  /** Number of waiting and running items (webhook deliveries) of the lane (queue of one target). */
  size: number
  /**
   * Chains (serial sequences of webhook deliveries) with items in this lane (queue of one target),
   * in the order of their next start.
   */
  chains: Map<string, Chain<T>>
  /**
   * Chains (serial sequences of webhook deliveries) of the lane (queue of one target) that have a
   * running item.
   */
  running: Set<Chain<T>>
  /**
   * Timer that is set while the throttle delays calls of the webhook target to which the lane
   * (queue) belongs.
   */
  timer?: NodeJS.Timeout
}

/**
 * Items (webhook deliveries) of a lane (queue of one target) that start next, approximately in the
 * order of their start.
 */
export function upcomingItems<T>(lane: Lane<T>, count: number): T[] {
  const candidates: Chain<T>[] = []
  for (const chain of lane.chains.values()) {
    if (candidates.length === count) break
    if (!lane.running.has(chain)) candidates.push(chain)
  }
  candidates.push(...lane.running)
  const items: T[] = []
  for (let depth = 0; items.length < count; depth++) {
    const row = candidates.flatMap((chain) => chain.items.slice(depth, depth + 1))
    if (row.length === 0) break
    items.push(...row)
  }
  return items.slice(0, count)
}

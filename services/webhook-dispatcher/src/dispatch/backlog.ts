/**
 * Delay of a poll of due webhook deliveries after capacity became free, so that one claim takes
 * many deliveries.
 */
const capacityDelayMs = 10
/**
 * Maximum interval between polls of due webhook deliveries, because other processes also create due
 * rows.
 */
export const pollMs = 1_000

/**
 * Due deliveries that were left in Postgres: lanes (queues of one webhook target each) with such
 * rows, and the time of the next poll. New deliveries of such a lane queue behind these rows in
 * Postgres.
 */
export class Backlog {
  /**
   * Lanes (queues of one webhook target each) with due deliveries in Postgres. The value is the
   * number of reads of due deliveries that had started when the lane was marked.
   */
  readonly #lanes = new Map<string, number>()
  #reads = 0
  #timer: NodeJS.Timeout | undefined
  #pollAt = Infinity
  /** Called when the next poll of due webhook deliveries has to start. */
  onPoll: () => void = () => undefined

  has(lane: string): boolean {
    return this.#lanes.has(lane)
  }

  /**
   * Marks a lane (queue of one target address) with webhook deliveries that were inserted without a
   * claim.
   */
  mark(lane: string): void {
    this.#lanes.set(lane, this.#reads)
  }

  /**
   * Starts a read of due deliveries. The returned function ends the read with the lanes (queues of
   * one webhook target each) that were read and a predicate for lanes with more rows. Lanes without
   * more rows are unmarked, except lanes that were marked after the start of the read, because the
   * read may have been too early to find their rows.
   */
  startRead(): (lanes: Iterable<string>, hasMore: (lane: string) => boolean) => void {
    const read = ++this.#reads
    return (lanes, hasMore) => {
      for (const lane of new Set([...this.#lanes.keys(), ...lanes])) {
        if (hasMore(lane)) this.#lanes.set(lane, this.#reads)
        else if ((this.#lanes.get(lane) ?? 0) < read) this.#lanes.delete(lane)
      }
    }
  }

  /**
   * Requests a poll of due webhook deliveries if the lane (queue of one target address) is marked,
   * because the lane has free capacity again.
   */
  onCapacity(lane: string): void {
    if (this.has(lane)) this.pollIn(capacityDelayMs)
  }

  /**
   * Requests a poll of due webhook deliveries after `ms`. Ignored if a poll is due earlier, or if
   * `ms` exceeds the regular interval of polls.
   */
  pollIn(ms: number): void {
    const at = Date.now() + ms
    if (ms > pollMs || at >= this.#pollAt) return
    clearTimeout(this.#timer)
    this.#pollAt = at
    const ring = () => {
      this.#pollAt = Infinity
      this.onPoll()
    }
    this.#timer = setTimeout(ring, Math.max(0, Math.ceil(ms)))
  }

  /** Cancels the next poll of due webhook deliveries and ignores further requests for polls. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#pollAt = -Infinity
  }
}

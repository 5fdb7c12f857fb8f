/** The lanes that were left with due deliveries in Postgres. While a lane is, new deliveries queue up behind them there. */
export interface Backlog {
  has(lane: string): boolean
  mark(lane: string): void
  /**
   * To be called before due deliveries are read. The returned function is called after it, with the lanes that something was found of and
   * whether there is more: lanes without more are forgotten, but for those marked meanwhile, since the reading may have been too early to
   * see what they were marked for.
   */
  reading(): (found: Iterable<string>, hasMore: (lane: string) => boolean) => void
}

export function createBacklog(): Backlog {
  const markedDuring = new Map<string, number>()
  let readings = 0
  return {
    has: (lane) => markedDuring.has(lane),
    mark(lane) {
      markedDuring.set(lane, readings)
    },
    reading() {
      const self = ++readings
      return (found, hasMore) => {
        for (const lane of new Set([...markedDuring.keys(), ...found])) {
          if (hasMore(lane)) markedDuring.set(lane, readings)
          else if ((markedDuring.get(lane) ?? 0) < self) markedDuring.delete(lane)
        }
      }
    },
  }
}

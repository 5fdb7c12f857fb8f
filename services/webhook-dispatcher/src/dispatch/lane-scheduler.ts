import type { TargetThrottle, TargetFeedback } from './target-throttle.ts'

/** A piece of work that waits for its turn. */
export interface LaneItem {
  lane: string
  /** Items of one chain run one after the other, in the order they came. */
  chain: string
  /** Of memory. */
  bytes: number
}

export interface LaneSchedulerOptions<T> {
  /** When a lane may start something, and how much at the same time. */
  throttle: TargetThrottle
  /** At the same time, altogether. */
  concurrency: number
  /** Held in memory before lanes are told to send theirs elsewhere. */
  maxItems: number
  maxBytes: number
  /** Does one item, and says what it showed of its lane. Must not reject. */
  work: (item: T, signal: AbortSignal) => Promise<TargetFeedback>
  /** While it is so nothing is started; what is held stays so. Default: never. */
  paused?: () => boolean
  /** Told when a lane holds no more than half of what it may. */
  onCapacity?: (lane: string) => void
}

export interface Lanes<T> {
  readonly size: number
  add(item: T): void
  /** What of a lane will start next, more or less in that order. */
  upcoming(lane: string, count: number): T[]
  /** Takes out what waits behind an item that runs, in its chain. */
  removeSuccessors(item: T): T[]
  /** How many more items of the lane may be held. Every lane can always hold as many as may run at once: none is shut out by others. */
  capacity(lane: string): number
  /** The lanes that hold anything. */
  capacities(): Map<string, number>
  /** To be called when it is not paused any more. */
  resume(): void
  /** Starts nothing more; waits for what runs, and aborts it after the time. Returns what was never started. */
  stop(graceMs: number): Promise<T[]>
}

interface Chain<T> {
  name: string
  items: T[]
}

interface Lane<T> {
  name: string
  running: number
  held: number
  /** In the rotation. */
  enrolled: boolean
  chains: Map<string, Chain<T>>
  /** Chains with items, none of which runs. */
  ready: Chain<T>[]
  /** Chains of which an item runs. */
  busy: Set<Chain<T>>
  /** Rings when the lane may start something again. */
  timer: NodeJS.Timeout | undefined
}

/** Held of one lane at most, however empty the rest is. */
const maxHeldPerLane = 1_000

/**
 * Runs work side by side where it may be and in order where it must be: lanes share a cap, the process has a cap, chains are serial.
 * Lanes take turns, so one that is slow holds up nothing but itself.
 */
export function createLanes<T extends LaneItem>(options: LaneSchedulerOptions<T>): Lanes<T> {
  return new LaneScheduler(options)
}

class LaneScheduler<T extends LaneItem> implements Lanes<T> {
  readonly #options: LaneSchedulerOptions<T>
  readonly #lanes = new Map<string, Lane<T>>()
  readonly #rotation: Lane<T>[] = []
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #stopping = false
  #bytes = 0
  size = 0

  constructor(options: LaneSchedulerOptions<T>) {
    this.#options = options
  }

  add(item: T): void {
    const lane = this.#lane(item.lane)
    this.size++
    lane.held++
    this.#bytes += item.bytes
    const chain = lane.chains.get(item.chain)
    if (chain) {
      chain.items.push(item)
    } else {
      const made = { name: item.chain, items: [item] }
      lane.chains.set(item.chain, made)
      lane.ready.push(made)
    }
    this.#enrol(lane)
    this.#pump()
  }

  upcoming(name: string, count: number): T[] {
    const lane = this.#lanes.get(name)
    if (!lane) return []
    const chains = [...lane.ready.slice(0, count), ...lane.busy]
    const found: T[] = []
    for (let depth = 0; found.length < count; depth++) {
      const row = chains.flatMap(({ items }) => items.slice(depth, depth + 1))
      if (row.length === 0) break
      found.push(...row)
    }
    return found.slice(0, count)
  }

  removeSuccessors({ lane: name, chain }: T): T[] {
    const lane = this.#lanes.get(name)
    const cut = lane?.chains.get(chain)?.items.splice(0) ?? []
    this.size -= cut.length
    if (lane) lane.held -= cut.length
    for (const { bytes } of cut) this.#bytes -= bytes
    return cut
  }

  capacity(lane: string): number {
    const { throttle: gate, maxItems: maxHeld, maxBytes, paused = () => false } = this.#options
    if (paused() || gate.isSuspended(lane)) return 0
    const share = this.#bytes > maxBytes ? 0 : Math.floor(maxHeld / (this.#lanes.size + 1))
    const limit = Math.max(gate.limit(lane), Math.min(maxHeldPerLane, share))
    return Math.max(0, limit - (this.#lanes.get(lane)?.held ?? 0))
  }

  capacities(): Map<string, number> {
    const lanes = [...this.#lanes.keys(), ...this.#options.throttle.suspended()]
    return new Map(lanes.map((lane) => [lane, this.capacity(lane)]))
  }

  resume(): void {
    this.#pump()
  }

  async stop(graceMs: number): Promise<T[]> {
    this.#stopping = true
    const unstarted = [...this.#lanes.values()].flatMap((lane) =>
      [...lane.chains.values()].flatMap(({ items }) => items.splice(0)),
    )
    for (const lane of this.#lanes.values()) clearTimeout(lane.timer)
    const timer = setTimeout(() => this.#abort.abort(), graceMs)
    await Promise.all(this.#running)
    clearTimeout(timer)
    return unstarted
  }

  #lane(name: string): Lane<T> {
    const known = this.#lanes.get(name)
    if (known) return known
    const made: Lane<T> = {
      name,
      running: 0,
      held: 0,
      enrolled: false,
      chains: new Map(),
      ready: [],
      busy: new Set(),
      timer: undefined,
    }
    this.#lanes.set(name, made)
    return made
  }

  #cap({ name }: Lane<T>): number {
    return this.#options.throttle.limit(name)
  }

  #enrol(lane: Lane<T>): void {
    if (lane.enrolled || lane.ready.length === 0 || lane.running >= this.#cap(lane)) return
    const waitMs = this.#options.throttle.waitMs(lane.name)
    if (waitMs > 0) return this.#enrolIn(lane, waitMs)
    lane.enrolled = true
    this.#rotation.push(lane)
  }

  #enrolIn(lane: Lane<T>, waitMs: number): void {
    if (lane.timer || this.#stopping) return
    lane.timer = setTimeout(() => {
      lane.timer = undefined
      this.#enrol(lane)
      this.#pump()
    }, Math.ceil(waitMs))
  }

  #pump(): void {
    while (this.#mayStart()) {
      const lane = this.#rotation.shift()
      if (!lane) return
      lane.enrolled = false
      const chain = this.#isOpen(lane) ? lane.ready.shift() : undefined
      const item = chain?.items.shift()
      if (chain && item !== undefined) this.#start(lane, chain, item)
      this.#enrol(lane)
    }
  }

  #isOpen(lane: Lane<T>): boolean {
    return lane.running < this.#cap(lane) && this.#options.throttle.waitMs(lane.name) === 0
  }

  #mayStart(): boolean {
    const { concurrency: overall, paused = () => false } = this.#options
    return !this.#stopping && this.#running.size < overall && !paused()
  }

  #start(lane: Lane<T>, chain: Chain<T>, item: T): void {
    lane.running++
    lane.busy.add(chain)
    this.#options.throttle.onStart(lane.name)
    const run = this.#options.work(item, this.#abort.signal).then((verdict) => {
      this.#running.delete(run)
      this.#options.throttle.onEnd(lane.name, verdict)
      this.#finished(lane, chain, item)
    })
    this.#running.add(run)
  }

  #finished(lane: Lane<T>, chain: Chain<T>, item: T): void {
    this.size--
    this.#bytes -= item.bytes
    lane.held--
    lane.running--
    lane.busy.delete(chain)
    if (chain.items.length > 0) lane.ready.push(chain)
    else lane.chains.delete(chain.name)
    if (lane.held === 0) {
      clearTimeout(lane.timer)
      this.#lanes.delete(lane.name)
    }
    this.#enrol(lane)
    this.#pump()
    if (this.capacity(lane.name) >= lane.held) this.#options.onCapacity?.(lane.name)
  }
}

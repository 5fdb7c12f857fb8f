import { FairQueue, type RunningItem, TaskGroup } from '@posthorn/flow'
import type { TargetFeedback } from '../attempt/outcome.ts'
import { type Chain, type Lane, type LaneItem, upcomingItems } from './lane.ts'
import type { TargetThrottle } from './target-throttle.ts'

export interface LaneSchedulerOptions<T> {
  throttle: TargetThrottle
  /** Maximum items (webhook deliveries) of all targets that run at the same time. */
  concurrency: number
  /**
   * Limits of the items (webhook deliveries) in memory: their number, and their bytes (`maxBytes`).
   * Above a limit, a lane (queue of one target address) accepts only as many items as it can run
   * concurrently.
   */
  maxItems: number
  maxBytes: number
  /** Runs an item (webhook delivery). The function must not reject. */
  run: (item: T, signal: AbortSignal) => Promise<TargetFeedback>
  /**
   * Called after an item (webhook delivery) ended if the lane (queue of the item's webhook target)
   * is at most half full.
   */
  onCapacity?: (lane: string) => void
}

/**
 * Items (webhook deliveries) that have not started when the scheduler stops, and the end of the
 * running items.
 */
export interface StoppedItems<T> {
  unstarted: T[]
  /** Resolves when no item (webhook delivery) runs, with the number of aborted items. */
  ended: Promise<{ aborted: number }>
}

/** Maximum items (webhook deliveries) in memory of one lane (queue of one target). */
const maxItemsPerLane = 1_000

/**
 * Scheduler of items (webhook deliveries): decides which item may start now. Chains of items run
 * serially, lanes (queues of one webhook target each) within the limits of their throttle. Lanes
 * take turns, so that a slow lane delays no other lane.
 */
export class LaneScheduler<T extends LaneItem> {
  readonly #options: LaneSchedulerOptions<T>
  readonly #lanes = new Map<string, Lane<T>>()
  /**
   * Waiting chains of items (webhook deliveries that run serially), by lane (queue of one target).
   * A running chain is added again after its item if the chain has more items.
   */
  readonly #queue: FairQueue<Chain<T>>
  readonly #running = new TaskGroup({ onError: fail })
  readonly #abort = new AbortController()
  #isStopping = false
  #isPaused = false
  #bytes = 0

  constructor(options: LaneSchedulerOptions<T>) {
    this.#options = options
    this.#queue = new FairQueue({
      maxRunning: options.concurrency,
      maxRunningPerKey: (lane) => this.#startLimit(lane),
    })
  }

  /** Number of running items (webhook deliveries). */
  get running(): number {
    return this.#running.size
  }

  /** True while the scheduler of webhook deliveries is paused: no delivery may start. */
  get paused(): boolean {
    return this.#isPaused
  }

  add(item: T): void {
    const lane = this.#laneOf(item.lane)
    this.#count(lane, 1, item.bytes)
    const chain = lane.chains.get(item.chain)
    if (chain) chain.items.push(item)
    else this.#enqueue(lane, { name: item.chain, items: [item] })
    this.#startNext()
  }

  /**
   * Items (webhook deliveries) of a lane (queue of one target) that start next, approximately in
   * the order of their start.
   */
  upcoming(name: string, count: number): T[] {
    const lane = this.#lanes.get(name)
    return lane ? upcomingItems(lane, count) : []
  }

  /**
   * Removes and returns the items (webhook deliveries) that wait in the chain of a running item.
   */
  removeSuccessors({ lane: name, chain }: T): T[] {
    const lane = this.#lanes.get(name)
    const removed = lane?.chains.get(chain)?.items.splice(0) ?? []
    for (const { bytes } of removed) if (lane) this.#count(lane, -1, -bytes)
    return removed
  }

  /**
   * Removes and returns the waiting items (webhook deliveries) of the lanes (queues of one target
   * each) whose target is paused. Running items continue to their end.
   */
  removePaused(): T[] {
    const { throttle } = this.#options
    const lanes = [...this.#lanes.values()].filter(({ name }) => throttle.isPaused(name))
    return lanes.flatMap((lane) => this.#removeWaiting(lane))
  }

  /** Starts items (webhook deliveries) that may run since the options of their target changed. */
  refresh(): void {
    for (const lane of this.#lanes.keys()) this.#queue.refresh(lane)
    this.#startNext()
  }

  /**
   * Number of further items (webhook deliveries) that a lane (queue of one target) can take. Every
   * lane may hold as many items as it can run concurrently.
   */
  capacity(lane: string): number {
    const { throttle, maxItems, maxBytes } = this.#options
    if (this.#isPaused || throttle.isBlocked(lane)) return 0
    const share = this.#bytes > maxBytes ? 0 : Math.floor(maxItems / (this.#lanes.size + 1))
    const limit = Math.max(throttle.limit(lane), Math.min(maxItemsPerLane, share))
    return Math.max(0, limit - (this.#lanes.get(lane)?.size ?? 0))
  }

  /**
   * Capacities for further items (webhook deliveries) of the lanes (queues of one target each) that
   * have items, are suspended or are paused.
   */
  capacities(): Map<string, number> {
    const lanes = [...this.#lanes.keys(), ...this.#options.throttle.blocked()]
    return new Map(lanes.map((lane) => [lane, this.capacity(lane)]))
  }

  /**
   * Stops starting items (webhook deliveries) until `resume`. Running items continue to their end,
   * waiting items stay.
   */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#startNext()
  }

  /**
   * Stops the scheduler: no further item (webhook delivery) starts. Returns the waiting items, and
   * the end of the running items, whose signal aborts after `graceMs`.
   */
  stop(graceMs: number): StoppedItems<T> {
    this.#isStopping = true
    const lanes = [...this.#lanes.values()]
    const waiting = lanes.flatMap(({ chains }) => [...chains.values()])
    const unstarted = waiting.flatMap(({ items }) => items.splice(0))
    for (const lane of lanes) clearTimeout(lane.timer)
    let aborted = 0
    const timer = setTimeout(() => {
      aborted = this.#running.size
      this.#abort.abort()
    }, graceMs)
    const ended = this.#running.drain().then(() => {
      clearTimeout(timer)
      return { aborted }
    })
    return { unstarted, ended }
  }

  #startNext(): void {
    while (!this.#isStopping && !this.#isPaused) {
      const next = this.#queue.take()
      if (!next) return
      this.#start(next)
    }
  }

  #start(slot: RunningItem<Chain<T>, string>): void {
    const chain = slot.item
    const lane = this.#laneOf(slot.key)
    const item = chain.items.shift() as T
    lane.running.add(chain)
    const { throttle, run } = this.#options
    throttle.onStart(lane.name)
    const finish = (feedback: TargetFeedback) => {
      throttle.onEnd(lane.name, feedback)
      this.#finish(lane, slot, item)
    }
    this.#running.run(run(item, this.#abort.signal).then(finish))
  }

  #finish(lane: Lane<T>, slot: RunningItem<Chain<T>, string>, { bytes }: T): void {
    const chain = slot.item
    slot[Symbol.dispose]()
    lane.running.delete(chain)
    lane.chains.delete(chain.name)
    if (chain.items.length > 0) this.#enqueue(lane, chain)
    this.#count(lane, -1, -bytes)
    this.#dropIfEmpty(lane)
    this.#startNext()
    if (this.capacity(lane.name) >= lane.size) this.#options.onCapacity?.(lane.name)
  }

  #removeWaiting(lane: Lane<T>): T[] {
    const removed: T[] = []
    for (const chain of lane.chains.values()) {
      removed.push(...chain.items.splice(0))
      if (lane.running.has(chain)) continue
      this.#queue.remove(lane.name, chain)
      lane.chains.delete(chain.name)
    }
    for (const { bytes } of removed) this.#count(lane, -1, -bytes)
    this.#dropIfEmpty(lane)
    return removed
  }

  #dropIfEmpty(lane: Lane<T>): void {
    if (lane.size > 0) return
    clearTimeout(lane.timer)
    this.#lanes.delete(lane.name)
  }

  /**
   * Appends a chain of items (webhook deliveries that run serially) to its lane (queue of one
   * target). `chains` keeps the order in which chains start.
   */
  #enqueue(lane: Lane<T>, chain: Chain<T>): void {
    lane.chains.set(chain.name, chain)
    this.#queue.add(lane.name, chain)
  }

  /**
   * Number of items (webhook deliveries) of a lane (queue of one target) that may run now: 0 while
   * the target is paused, or the throttle delays its calls, with a timer for the end of the delay.
   */
  #startLimit(name: string): number {
    const { throttle } = this.#options
    if (throttle.isPaused(name)) return 0
    const delayMs = throttle.delayMs(name)
    if (delayMs <= 0) return throttle.limit(name)
    const lane = this.#laneOf(name)
    if (!this.#isStopping)
      lane.timer ??= setTimeout(() => {
        delete lane.timer
        this.#queue.refresh(name)
        this.#startNext()
      }, Math.ceil(delayMs))
    return 0
  }

  #count(lane: Lane<T>, items: number, bytes: number): void {
    lane.size += items
    this.#bytes += bytes
  }

  #laneOf(name: string): Lane<T> {
    const existing = this.#lanes.get(name)
    if (existing) return existing
    const lane: Lane<T> = { name, size: 0, chains: new Map(), running: new Set() }
    this.#lanes.set(name, lane)
    return lane
  }
}

/**
 * Ends the process, by an unhandled rejection, because the function `run` of the scheduler of
 * webhook deliveries must not reject.
 */
function fail(error: unknown): never {
  throw error
}

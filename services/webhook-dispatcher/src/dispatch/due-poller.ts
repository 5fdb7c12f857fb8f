import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import {
  type ClaimOwner,
  claimDueDeliveries,
  type ClaimedDelivery,
  findNextDueMs,
} from '../store/deliveries.ts'
import { createBacklog } from './backlog.ts'
import type { ClaimLock } from './claim-lock.ts'

export interface DuePollerOptions {
  db: Db
  claim: ClaimOwner
  claims: ClaimLock
  /** Room of the lanes that hold something. */
  capacities: () => Map<string, number>
  /** Room of a lane that holds nothing yet. */
  defaultCapacity: () => number
  enqueue: (deliveries: ClaimedDelivery[]) => void
  /** Nothing is to be claimed. */
  paused: () => boolean
  log: Logger
}

export interface DuePoller extends AsyncDisposable {
  /** Something will be due in so many milliseconds. */
  pollIn(ms: number): void
  /** The lane was left with due deliveries for want of room. While it is, new ones queue up behind them in Postgres. */
  isBacklogged(lane: string): boolean
  markBacklogged(lane: string): void
  /** The lane can take more. */
  onCapacity(lane: string): void
}

/** At the latest: for deliveries that other processes made due, or left. */
const everyMs = 1_000
/** Of one lane at a time. */
const maxPerLane = 500
const overall = 1_000

/** Claims what is due, at the time it is due: retries, what found no room, and what dead processes had in hand. */
export function startDuePoller(options: DuePollerOptions): DuePoller {
  const { db, claim, enqueue: take, log } = options
  const backlog = createBacklog()
  const alarm = createAlarm(() => loop.wake())
  async function claimDue(found: ReturnType<typeof backlog.reading>): Promise<number> {
    const room = options.capacities()
    const perLane = Math.min(maxPerLane, options.defaultCapacity())
    const claimed = await claimDueDeliveries(db, claim, { perLane, overall, capacities: room })
    const taken = Map.groupBy(claimed, ({ lane }) => lane)
    const isFull = (lane: string) =>
      (taken.get(lane)?.length ?? 0) >= Math.min(perLane, room.get(lane) ?? perLane)
    found(taken.keys(), isFull)
    take(claimed)
    return claimed.length
  }
  const loop = runPeriodically({ everyMs, log, name: 'retries' }, async (signal) => {
    if (options.paused()) return
    const found = backlog.reading()
    const next = await findNextDueMs(db)
    if (signal.aborted || next === undefined || next > 0) {
      found([], () => false)
      if (next !== undefined && next < everyMs) alarm.set(next)
      return
    }
    if ((await options.claims.exclusive(() => claimDue(found))) >= overall) loop.wake()
  })
  return {
    pollIn: (ms) => alarm.set(ms),
    isBacklogged: (lane) => backlog.has(lane),
    markBacklogged: (lane) => backlog.mark(lane),
    onCapacity(lane) {
      if (backlog.has(lane)) alarm.set(backlogPauseMs)
    },
    async [Symbol.asyncDispose]() {
      alarm.stop()
      await loop[Symbol.asyncDispose]()
    },
  }
}

/** Lets room add up before more is claimed: a claim of many costs what a claim of one does. */
const backlogPauseMs = 10

interface Alarm {
  /** Rings in so many milliseconds, unless it was to ring before that anyway. */
  set(ms: number): void
  stop(): void
}

function createAlarm(ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let at = Infinity
  return {
    set(ms) {
      const wanted = Date.now() + ms
      if (ms > everyMs || wanted >= at) return
      clearTimeout(timer)
      at = wanted
      timer = setTimeout(
        () => {
          at = Infinity
          ring()
        },
        Math.max(0, Math.ceil(ms)),
      )
    },
    stop() {
      clearTimeout(timer)
      at = -Infinity
    },
  }
}

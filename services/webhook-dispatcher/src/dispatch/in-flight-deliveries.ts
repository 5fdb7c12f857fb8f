import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { type ClaimOwner, type ClaimedDelivery, renewClaims } from '../store/deliveries.ts'
import type { DeliveryResult } from '../store/results.ts'
import type { ClaimLock } from './claim-lock.ts'
import type { AttemptCounter } from '../attempt/attempt-counter.ts'
import { didRespond } from '../attempt/attempt.ts'
import type { TargetThrottle, TargetFeedback } from './target-throttle.ts'
import { createLanes, type LaneItem, type Lanes } from './lane-scheduler.ts'
import { createRecorder, type Recorder } from '../attempt/recorder.ts'
import { releasedResult } from '../attempt/delivery-state.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface InFlightOptions {
  db: Db
  claim: ClaimOwner
  claims: ClaimLock
  counter: AttemptCounter
  concurrency: number
  throttle: TargetThrottle
  /** Nothing is to be started. */
  paused: () => boolean
  deliver: (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<DeliveryResult | undefined>
  /** Told when a delivery will be due again, in so many milliseconds. */
  dueIn: (ms: number) => void
  /** Told when a lane can take more. */
  onCapacity: (lane: string) => void
  log: Logger
}

/** The deliveries that this process has claimed: waiting for their turn, being made, or waiting to be recorded. */
export interface InFlightDeliveries extends AsyncDisposable {
  readonly size: number
  enqueue(deliveries: readonly ClaimedDelivery[]): void
  capacity(lane: string): number
  capacities(): Map<string, number>
  /** It is not paused any more. */
  resume(): void
}

const maxHeld = 10_000
const maxBytes = 64 * 1024 * 1024
/** For each call of a lane at the same time: enough that counting the next ones ends before the counted ones run out. */
const countedAhead = 8
const maxCountedAhead = 500
/** Claims of one statement: who counts or records one of them waits for all of it. */
const renewedAtOnce = 250
/** A stopping process has ten seconds; what is not answered after this time is given back. */
const graceMs = 8_000
/** For the last records, after that. */
const lastRecordMs = 1_000

interface Item extends LaneItem {
  delivery: ClaimedDelivery
}

/**
 * Claims are renewed for as long as a delivery is in hand, and given up with its result. Disposing ends what can be ended in time and
 * gives the rest back, uncounted.
 */
export function createInFlightDeliveries(options: InFlightOptions): InFlightDeliveries {
  const { claims, counter, log } = options
  const held = new Map<string, ClaimedDelivery>()
  const stopping = new AbortController()
  const recorder = createRecorder(options, stopping.signal)

  const countNext = (lane: string) =>
    counter.precount(lane, () =>
      lanes.upcoming(lane, aheadOf(options.throttle.limit(lane))).map((item) => item.delivery),
    )

  async function work(item: Item, signal: AbortSignal): Promise<TargetFeedback> {
    const { delivery } = item
    countNext(delivery.lane)
    try {
      const result = await options.deliver(delivery, signal)
      // The lane goes on meanwhile: results are recorded many at a time.
      if (result) void recorder.record(result).finally(() => held.delete(delivery.id))
      else await lose(item, signal)
      return targetFeedback(result)
    } catch (err) {
      // Not foreseen: left to its lease, so that it does not come back at once for ever.
      log.error({ err, ...naming(delivery) }, 'a delivery could not be attempted')
      await counter.cancelPrecount(delivery.id)
      held.delete(delivery.id)
      return { answered: true }
    }
  }

  async function giveBack({ delivery: { id } }: Item): Promise<void> {
    await recorder.record(releasedResult(id, await counter.cancelPrecount(id)))
    held.delete(id)
  }

  /** Another process has it, and goes on with what follows it once that is given back: here it would be overtaken. */
  async function lose(item: Item, signal: AbortSignal): Promise<void> {
    log.warn(naming(item.delivery), 'a delivery was taken over: its lease had run out')
    held.delete(item.delivery.id)
    await giveBackAll(() => lanes.removeSuccessors(item).map(giveBack), { claims, signal })
  }

  const lanes = createLanes<Item>({
    ...options,
    ...boundsOf(),
    work,
  })
  const renewing = renewHeld(options, held)

  return {
    get size() {
      return held.size
    },
    enqueue: (deliveries) => enqueueClaimed({ held, lanes, recorder }, deliveries),
    capacity: (lane) => lanes.capacity(lane),
    capacities: () => lanes.capacities(),
    resume: () => lanes.resume(),
    async [Symbol.asyncDispose]() {
      const unstarted = await lanes.stop(graceMs)
      await counter.drain()
      setTimeout(() => stopping.abort(), lastRecordMs).unref()
      await Promise.all(unstarted.map(giveBack))
      await recorder.drain()
      await renewing[Symbol.asyncDispose]()
    },
  }
}

/** Until nothing is left and nothing more can come that was claimed as if that were still here, or until the signal aborts. */
async function giveBackAll(
  start: () => Promise<void>[],
  { claims, signal }: { claims: ClaimLock; signal: AbortSignal },
): Promise<void> {
  let given = start()
  do {
    await unlessAborted(
      Promise.all(given).then(() => claims.idle()),
      signal,
    )
    given = start()
  } while (given.length > 0)
}

interface Hand {
  held: Map<string, ClaimedDelivery>
  lanes: Lanes<Item>
  recorder: Recorder
}

function enqueueClaimed(hand: Hand, deliveries: readonly ClaimedDelivery[]): void {
  const { held, lanes, recorder } = hand
  for (const delivery of deliveries) {
    const { id } = delivery
    // Due and claimed again before word of its last result had come back.
    const ending = recorder.pending(id)
    if (ending) void ending.then(() => enqueueClaimed(hand, [delivery]))
    // Claimed again after a lease ran out unnoticed: it is here already, and may have been attempted elsewhere meanwhile.
    const known = held.get(id)
    if (known) {
      known.attempts = delivery.attempts
      continue
    }
    held.set(id, delivery)
    lanes.add(itemOf(delivery))
  }
}

function aheadOf(cap: number): number {
  return Math.min(cap * countedAhead, maxCountedAhead)
}

function targetFeedback(result: DeliveryResult | undefined): TargetFeedback {
  const { outcome = null, pauseMs } = result ?? {}
  return { answered: didRespond(outcome), ...(pauseMs === undefined ? {} : { pauseMs }) }
}

function boundsOf() {
  return { maxItems: maxHeld, maxBytes }
}

function naming({ id, event, account }: ClaimedDelivery) {
  return { id, event, account }
}

function renewHeld({ db, claim, log }: InFlightOptions, held: ReadonlyMap<string, unknown>) {
  return runPeriodically({ everyMs: claim.leaseMs / 3, log, name: 'renew-claims' }, async () => {
    const ids = [...held.keys()]
    for (let done = 0; done < ids.length; done += renewedAtOnce)
      await renewClaims(db, ids.slice(done, done + renewedAtOnce), claim)
  })
}

/** First attempts of an account follow each other; a delivery that failed steps aside and is in nobody's way. */
function itemOf(delivery: ClaimedDelivery): Item {
  const { id, account, lane, ordered, body } = delivery
  return {
    delivery,
    lane,
    chain: ordered ? `${account}\0${lane}` : id,
    bytes: 1_000 + (body?.length ?? 0),
  }
}

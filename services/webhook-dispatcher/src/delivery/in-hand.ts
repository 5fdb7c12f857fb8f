import type { Db } from '@posthorn/db'
import { everyFew } from '@posthorn/service'
import type { Logger } from '@posthorn/telemetry'
import { type Claim, type ClaimedDelivery, renewClaims } from '../store/deliveries.ts'
import { type DeliveryResult, recordResults } from '../store/results.ts'
import { batch } from './batch.ts'
import { answered } from './deliver.ts'
import { createLanes, type LaneItem } from './lanes.ts'
import { persist } from './persist.ts'
import { released } from './settle.ts'

export interface InHandOptions {
  db: Db
  claim: Claim
  concurrency: number
  targetConcurrency: number
  deliver: (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<DeliveryResult | undefined>
  /** Told when a delivery will be due again, in so many milliseconds. */
  dueIn: (ms: number) => void
  /** Told when a lane can take more. */
  onRoom: (lane: string) => void
  log: Logger
}

/** The deliveries that this process has claimed: waiting for their turn, being made, or waiting to be recorded. */
export interface InHand extends AsyncDisposable {
  readonly held: number
  take(deliveries: readonly ClaimedDelivery[]): void
  room(lane: string): number
  rooms(): Map<string, number>
}

const maxHeld = 10_000
const maxBytes = 64 * 1024 * 1024
/** A stopping process has ten seconds; what is not answered after this time is given back. */
const graceMs = 8_000
/** For the last records, after that. */
const lastRecordMs = 1_000
const renewBatch = 1_000

interface Item extends LaneItem {
  delivery: ClaimedDelivery
}

/**
 * Claims are renewed for as long as a delivery is in hand, and given up with its result. Disposing ends what can be ended in time and
 * gives the rest back, uncounted.
 */
export function holdDeliveries(options: InHandOptions): InHand {
  const { db, claim, log } = options
  const held = new Map<string, ClaimedDelivery>()
  const stopping = new AbortController()
  const record = createRecorder(options, stopping.signal)

  async function work({ delivery }: Item, signal: AbortSignal): Promise<{ well: boolean }> {
    try {
      const result = await options.deliver(delivery, signal)
      // The lane goes on meanwhile: results are recorded many at a time.
      if (result) void record(result).finally(() => held.delete(delivery.id))
      else held.delete(delivery.id)
      return { well: answered(result?.outcome ?? null) }
    } catch (err) {
      // Not foreseen: left to its lease, so that it does not come back at once for ever.
      log.error(
        { err, id: delivery.id, event: delivery.event, account: delivery.account },
        'a delivery could not be attempted',
      )
      held.delete(delivery.id)
      return { well: true }
    }
  }

  const lanes = createLanes<Item>({
    perLane: options.targetConcurrency,
    overall: options.concurrency,
    maxHeld,
    maxBytes,
    work,
    onRoom: options.onRoom,
  })
  const renewing = everyFew({ everyMs: claim.leaseMs / 3, log, name: 'renew-claims' }, async () => {
    const ids = [...held.keys()]
    for (let at = 0; at < ids.length; at += renewBatch)
      await renewClaims(db, ids.slice(at, at + renewBatch), claim)
  })

  return {
    get held() {
      return held.size
    },
    take(deliveries) {
      for (const delivery of deliveries) {
        // Claimed again after a lease ran out unnoticed: it is here already.
        if (held.has(delivery.id)) continue
        held.set(delivery.id, delivery)
        lanes.add(itemOf(delivery))
      }
    },
    room: (lane) => lanes.room(lane),
    rooms: () => lanes.rooms(),
    async [Symbol.asyncDispose]() {
      const unstarted = await lanes.stop(graceMs)
      setTimeout(() => stopping.abort(), lastRecordMs).unref()
      await Promise.all(unstarted.map(({ delivery }) => record(released(delivery.id, false))))
      await record.settled()
      await renewing[Symbol.asyncDispose]()
    },
  }
}

/** First attempts of an account follow each other; a delivery that failed steps aside and is in nobody's way. */
function itemOf(delivery: ClaimedDelivery): Item {
  const { id, account, lane, attempts, body } = delivery
  return {
    delivery,
    lane,
    chain: attempts === 0 ? `${account}\0${lane}` : id,
    bytes: 1_000 + (body?.length ?? 0),
  }
}

type Recorder = ((result: DeliveryResult) => Promise<void>) & { settled(): Promise<unknown> }

/** Records results in batches, and goes on trying while Postgres is away. Never rejects: what cannot be recorded is left to its lease. */
function createRecorder({ db, claim, dueIn, log }: InHandOptions, signal: AbortSignal): Recorder {
  const pending = new Set<Promise<void>>()
  const write = batch<DeliveryResult, undefined>({
    max: 100,
    waitMs: 10,
    async work(results) {
      await persist(() => recordResults(db, results, claim.self), { signal, log })
      for (const { state, waitMs } of results) if (state === 'due') dueIn(waitMs)
      return results.map(() => undefined)
    },
  })
  const record = (result: DeliveryResult) => {
    const done = write(result)
      .catch((err: unknown) =>
        log.error({ err, id: result.id, state: result.state }, 'a result could not be recorded'),
      )
      .then(() => void pending.delete(done))
    pending.add(done)
    return done
  }
  return Object.assign(record, { settled: () => Promise.all(pending) })
}

import { afterAll, expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { PreAttemptError } from '../src/attempt/outcome.ts'
import { AttemptRecorder } from '../src/attempt/recorder.ts'
import { Backlog } from '../src/dispatch/backlog.ts'
import { ClaimLock, InFlightDeliveries } from '../src/dispatch/in-flight-deliveries.ts'
import { TargetThrottle } from '../src/dispatch/target-throttle.ts'
import type { ClaimedDelivery } from '../src/store/deliveries.ts'
import { claimDueDeliveries } from '../src/store/delivery-claims.ts'
import { storeDatabase } from './store-database.ts'

const database = await storeDatabase()
const { db, own } = database
afterAll(() => database[Symbol.asyncDispose]())

const owner = { id: crypto.randomUUID(), leaseMs: 60_000 }
const other = crypto.randomUUID()
const lane = 'http://a.example/'
const log = createLogger('test', 'silent')
const lock = new ClaimLock()
const recorder = new AttemptRecorder({ db: own, owner, log })

const rows = Array.from({ length: 6 }, (_, n) => ({
  id: crypto.randomUUID(),
  eventId: crypto.randomUUID(),
  eventRow: String(n + 1),
  eventDate: new Date(),
  event: 'messageSent',
  account: 'a',
  target: 'default',
  lane,
}))

test('InFlightDeliveries: after a lost claim, releases its successors, including those being claimed', async () => {
  await db.insertInto('deliveries').values(rows).execute()
  const limits = {
    perLane: rows.length,
    overall: rows.length,
    capacities: new Map<string, number>(),
  }
  const claimed = await claimDueDeliveries(own, owner, limits)
  expect(claimed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  const [first] = claimed
  const calls: string[] = []
  const late = Promise.withResolvers<ClaimedDelivery[]>()

  const backlog = new Backlog()
  await using inFlight = new InFlightDeliveries({
    lock,
    backlog,
    recorder,
    throttle: new TargetThrottle({
      optionsOf: () => ({ concurrency: 4 }),
      suspendMs: 1,
      maxSuspendMs: 1,
    }),
    async attempt({ id }) {
      calls.push(id)
      await db.updateTable('deliveries').set({ claim: other }).where('id', '=', id).execute()
      throw new PreAttemptError('expire', 'claim-lost')
    },
    concurrency: 4,
    closeTimeoutMs: () => 1_000,
    log,
  })
  const enqueued = lock.shared(async () => inFlight.enqueue(await late.promise))
  inFlight.enqueue(claimed.slice(0, 4))
  const released = () =>
    db
      .selectFrom('deliveries')
      .select(['id', 'attempts'])
      .where('claim', 'is', null)
      .orderBy('eventRow')
      .execute()
  await eventually(async () => expect(await released()).toHaveLength(3))
  late.resolve(claimed.slice(4))
  await enqueued
  await eventually(async () => expect(await released()).toHaveLength(5))
  expect(calls).toEqual([first?.id])
  expect(await released()).toEqual(rows.slice(1).map(({ id }) => ({ id, attempts: 0 })))
  backlog.stop()
})

import { afterAll, expect, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testDatabase } from '@posthorn/testkit'
import { createClaimLock } from '../src/dispatch/claim-lock.ts'
import { createAttemptCounter } from '../src/attempt/attempt-counter.ts'
import { createTargetThrottle } from '../src/dispatch/target-throttle.ts'
import { createInFlightDeliveries } from '../src/dispatch/in-flight-deliveries.ts'
import { claimDueDeliveries, type ClaimedDelivery } from '../src/store/deliveries.ts'

const database = await testDatabase()
const { db } = database
const own = connect(database.roleUrl('posthorn_webhook_dispatcher'), { name: 'test' })
afterAll(async () => {
  await own.destroy()
  await database.drop()
})

const claim = { id: crypto.randomUUID(), leaseMs: 60_000 }
const other = crypto.randomUUID()
const lane = 'http://a.example/'
const log = createLogger('test', 'silent')
const claims = createClaimLock()
const counter = createAttemptCounter({ db: own, claim, log })

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

test('who finds a delivery taken over calls nothing of what follows it, not even what it was claiming meanwhile', async () => {
  await db.insertInto('deliveries').values(rows).execute()
  const limits = {
    perLane: rows.length,
    overall: rows.length,
    capacities: new Map<string, number>(),
  }
  const claimed = await claimDueDeliveries(own, claim, limits)
  expect(claimed.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
  const [first] = claimed
  const calls: string[] = []
  const late = Promise.withResolvers<ClaimedDelivery[]>()

  await using inHand = createInFlightDeliveries({
    db: own,
    claim,
    claims,
    counter,
    concurrency: 4,
    throttle: createTargetThrottle({
      optionsOf: () => ({ concurrency: 4 }),
      pauseMs: 1,
      maxPauseMs: 1,
    }),
    paused: () => false,
    async deliver({ id }) {
      calls.push(id)
      await db.updateTable('deliveries').set({ claim: other }).where('id', '=', id).execute()
      return undefined
    },
    dueIn: () => undefined,
    onCapacity: () => undefined,
    log,
  })
  const taken = claims.shared(async () => inHand.enqueue(await late.promise))
  inHand.enqueue(claimed.slice(0, 4))
  const freed = () =>
    db
      .selectFrom('deliveries')
      .select(['id', 'attempts'])
      .where('claim', 'is', null)
      .orderBy('eventRow')
      .execute()
  await eventually(async () => expect(await freed()).toHaveLength(3))
  late.resolve(claimed.slice(4))
  await taken
  await eventually(() => expect(inHand.size).toBe(0))
  expect(calls).toEqual([first?.id])
  expect(await freed()).toEqual(rows.slice(1).map(({ id }) => ({ id, attempts: 0 })))
})

import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { type NewEvent, recordEvents } from '@posthorn/db'
import { Sandbox } from '@posthorn/sandbox'
import { testDatabase } from '@posthorn/testkit'
import { shardOf } from '@posthorn/contracts'
import { decideRoutes } from '../src/routes/decide.ts'
import { cacheRoutes } from '../src/routes/route-cache.ts'
import { listPendingEvents } from '../src/store/events.ts'

const database = await testDatabase()
const { db } = database
const sandbox = new Sandbox()
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await database.drop()
})

const account = 'asked'
const partition = shardOf(account) % 16
let asked: string[] = []
let outcomes: string[] = []
const called = (outcome: string) => void outcomes.push(outcome)
const counting: Pick<Sandbox, 'apply' | 'matchStatically'> = {
  apply(functions, input, refuse) {
    asked.push('apply')
    return sandbox.apply(functions, input, refuse)
  },
  matchStatically(filter, event) {
    asked.push(`judge ${event}`)
    return sandbox.matchStatically(filter, event)
  },
}
beforeEach(async () => {
  asked = []
  outcomes = []
  await db.deleteFrom('webhookRoutes').execute()
  await db.updateTable('events').set({ fannedOutAt: new Date() }).execute()
  const value = JSON.stringify(true)
  await db
    .insertInto('settings')
    .values({ key: 'webhooksEnabled', value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
})

async function happen(...events: Partial<NewEvent>[]): Promise<void> {
  const whole = events.map((event) => ({
    account,
    eventId: crypto.randomUUID(),
    event: 'messageDeleted',
    data: {},
    ...event,
  }))
  await db.transaction().execute((tx) => recordEvents(tx, whole, null))
}
async function addRoute(id: string, filter: string | null, map: string | null = null) {
  const row = { id, name: id, targetUrl: 'http://r.example/', customHeaders: '[]', filter, map }
  await db.insertInto('webhookRoutes').values(row).execute()
}
async function decide(known = cacheRoutes(db)) {
  await known.refresh()
  const deps = { db, sandbox: counting, routes: known, batchSize: 500, called }
  const decisions = await decideRoutes(deps)(partition)
  const events = await listPendingEvents(db, { partition, limit: 500, whole: null })
  return events.map((event) => ({
    event: event.event,
    routes: decisions.of(event)?.map(({ route }) => route.id),
  }))
}

test('without routes nobody is asked anything', async () => {
  await happen({}, {})
  const decided = await decide()
  expect(decided.map(({ routes }) => routes)).toEqual([[], []])
  expect(asked).toEqual([])
})

test('events that no route wants by their name never reach the sandbox, but for one look at the name', async () => {
  await addRoute('r1', 'return payload.event === "messageNew" && payload.data.n > 1')
  await happen(...Array.from({ length: 120 }, () => ({})))
  await happen({ event: 'messageNew', data: { n: 1 } }, { event: 'messageNew', data: { n: 2 } })
  const decided = await decide()
  expect(decided.filter(({ routes }) => routes?.length === 0)).toHaveLength(121)
  expect(decided.at(-1)).toEqual({ event: 'messageNew', routes: ['r1'] })
  expect(asked.sort()).toEqual(['apply', 'apply', 'judge messageDeleted', 'judge messageNew'])
})

test('routes without functions, and those that want all events of a name, are not asked either', async () => {
  await addRoute('all', null)
  await addRoute('named', 'return payload.event.startsWith("message")')
  await happen({}, { event: 'accountInitialized' })
  expect(await decide()).toEqual([
    { event: 'messageDeleted', routes: ['all', 'named'] },
    { event: 'accountInitialized', routes: ['all'] },
  ])
  expect(asked.filter((what) => what === 'apply')).toEqual([])
})

test('functions see the setting scriptEnv as it is now, each a copy of its own; calls are counted', async () => {
  const store = async (scriptEnv: object) => {
    const value = JSON.stringify(JSON.stringify(scriptEnv))
    await db
      .insertInto('settings')
      .values({ key: 'scriptEnv', value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute()
  }
  await addRoute(
    'a',
    'const is = env.room === "blue"; env.room = "changed"; return is',
    'return { room: env.room }',
  )
  await addRoute('b', 'return env.room === "blue"')
  await addRoute('c', 'return env.room.of.nothing')
  await happen({})
  await store({ room: 'blue' })
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: ['a', 'b'] }])
  expect(outcomes.toSorted()).toEqual(['failed', 'wanted', 'wanted'])
  await store({ room: 'green' })
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: [] }])
  await db.deleteFrom('settings').where('key', '=', 'scriptEnv').execute()
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: [] }])
})

test('an event that came after the routes were asked is left undecided', async () => {
  await addRoute('all', null)
  await happen({})
  const known = cacheRoutes(db)
  await known.refresh()
  const deps = { db, sandbox: counting, routes: known, batchSize: 500, called }
  const decisions = await decideRoutes(deps)(partition)
  await happen({ event: 'messageNew' })
  const events = await listPendingEvents(db, { partition, limit: 500, whole: null })
  expect(events.map((event) => decisions.of(event)?.length)).toEqual([1, undefined])
})

test('the stamp tells of every change, and of no other', async () => {
  await happen({})
  const stampOf = async () =>
    (await listPendingEvents(db, { partition, limit: 1, whole: null }))[0]?.routesVersion
  const before = await stampOf()
  expect(await stampOf()).toBe(before)
  await addRoute('new', null)
  const after = await stampOf()
  expect(after).not.toBe(before)
  const known = cacheRoutes(db)
  await known.refresh()
  expect(known.snapshot.version).toBe(after)
})

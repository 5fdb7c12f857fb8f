import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { type NewEvent, recordEvents } from '@posthorn/db'
import { Sandbox } from '@posthorn/sandbox'
import { testDatabase } from '@posthorn/testkit'
import { decideRoutes } from '../src/routes/decide.ts'
import { cacheRoutes } from '../src/routes/route-cache.ts'
import { BodyMemory } from '../src/store/bodies.ts'
import { listPendingEvents } from '../src/store/events.ts'

const database = await testDatabase()
const { db } = database
const bodies = new BodyMemory(db)
const sandbox = new Sandbox()
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]()
  await database.drop()
})

const account = 'routed'
const partition = shardOf(account) % 16
let calls: string[] = []
let outcomes: string[] = []
const onCall = (outcome: string) => void outcomes.push(outcome)
const counting: Pick<Sandbox, 'apply' | 'matchStatically'> = {
  apply(functions, input, skipReason) {
    calls.push('apply')
    return sandbox.apply(functions, input, skipReason)
  },
  matchStatically(filter, event) {
    calls.push(`match ${event}`)
    return sandbox.matchStatically(filter, event)
  },
}
beforeEach(async () => {
  calls = []
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

async function emit(...events: Partial<NewEvent>[]): Promise<void> {
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
async function decide(routes = cacheRoutes(db)) {
  await routes.refresh()
  const deps = { db, bodies, sandbox: counting, routes, batchSize: 500, onCall }
  const decisions = await decideRoutes(deps)(partition)
  const events = await listPendingEvents(db, { partition, limit: 500, whole: null })
  return events.map((event) => ({
    event: event.event,
    routes: decisions.of(event)?.map(({ route }) => route.id),
  }))
}

test('decideRoutes: without routes, calls nothing', async () => {
  await emit({}, {})
  const decided = await decide()
  expect(decided.map(({ routes }) => routes)).toEqual([[], []])
  expect(calls).toEqual([])
})

test('decideRoutes: events rejected by name never reach the sandbox after one static match', async () => {
  await addRoute('r1', 'return payload.event === "messageNew" && payload.data.n > 1')
  await emit(...Array.from({ length: 120 }, () => ({})))
  await emit({ event: 'messageNew', data: { n: 1 } }, { event: 'messageNew', data: { n: 2 } })
  const decided = await decide()
  expect(decided.filter(({ routes }) => routes?.length === 0)).toHaveLength(121)
  expect(decided.at(-1)).toEqual({ event: 'messageNew', routes: ['r1'] })
  expect(calls.sort()).toEqual(['apply', 'apply', 'match messageDeleted', 'match messageNew'])
})

test('decideRoutes: calls no function for routes that accept all events of a name', async () => {
  await addRoute('all', null)
  await addRoute('named', 'return payload.event.startsWith("message")')
  await emit({}, { event: 'accountInitialized' })
  expect(await decide()).toEqual([
    { event: 'messageDeleted', routes: ['all', 'named'] },
    { event: 'accountInitialized', routes: ['all'] },
  ])
  expect(calls.filter((call) => call === 'apply')).toEqual([])
})

test('decideRoutes: functions get a copy of the current scriptEnv, calls are counted', async () => {
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
  await emit({})
  await store({ room: 'blue' })
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: ['a', 'b'] }])
  expect(outcomes.toSorted()).toEqual(['failed', 'wanted', 'wanted'])
  await store({ room: 'green' })
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: [] }])
  await db.deleteFrom('settings').where('key', '=', 'scriptEnv').execute()
  expect(await decide()).toEqual([{ event: 'messageDeleted', routes: [] }])
})

test('decideRoutes: functions get ids of providers unchanged, and no uid', async () => {
  const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('')
  const id = visible.repeat(3).slice(0, 200)
  const data = { id, threadId: id, flags: [], labels: [id] }
  const isSame = `payload.data.id === ${JSON.stringify(id)} && payload.data.labels[0] === payload.data.id`
  await addRoute(
    'same',
    `return ${isSame} && payload.data.uid === undefined`,
    'return payload.data',
  )
  await emit({ data })
  const routes = cacheRoutes(db)
  await routes.refresh()
  const deps = { db, bodies, sandbox: counting, routes, batchSize: 500, onCall }
  const decisions = await decideRoutes(deps)(partition)
  const [event] = await listPendingEvents(db, { partition, limit: 1, whole: null })
  const [decided] = (event && decisions.of(event)) ?? []
  expect(decided?.route.id).toBe('same')
  expect(JSON.parse(decided?.body ?? 'null')).toEqual(data)
})

test('decideRoutes: an event recorded after the decision is undecided', async () => {
  await addRoute('all', null)
  await emit({})
  const routes = cacheRoutes(db)
  await routes.refresh()
  const deps = { db, bodies, sandbox: counting, routes, batchSize: 500, onCall }
  const decisions = await decideRoutes(deps)(partition)
  await emit({ event: 'messageNew' })
  const events = await listPendingEvents(db, { partition, limit: 500, whole: null })
  expect(events.map((event) => decisions.of(event)?.length)).toEqual([1, undefined])
})

test('routesVersion: differs after every change of a route, and only then', async () => {
  await emit({})
  const version = async () =>
    (await listPendingEvents(db, { partition, limit: 1, whole: null }))[0]?.routesVersion
  const before = await version()
  expect(await version()).toBe(before)
  await addRoute('new', null)
  const after = await version()
  expect(after).not.toBe(before)
  const routes = cacheRoutes(db)
  await routes.refresh()
  expect(routes.snapshot.version).toBe(after)
})

test('cacheRoutes: a cached route is used until its time, also without a change of the version', async () => {
  let now = Date.now()
  const expiresAt = new Date(now + 3_600_000)
  const expireAt = (at: Date) =>
    db.updateTable('webhookRoutes').set({ expiresAt: at }).where('id', '=', 'expiring').execute()
  await addRoute('expiring', null)
  await expireAt(expiresAt)
  await addRoute('lasting', null)
  const routes = cacheRoutes(db, () => now)
  await routes.refresh()
  const { version } = routes.snapshot
  const ids = () => routes.snapshot.routes.map(({ id }) => id)
  now = expiresAt.getTime() - 1
  expect(ids()).toEqual(['expiring', 'lasting'])
  expect(await routes.find('expiring')).toMatchObject({ id: 'expiring' })
  now = expiresAt.getTime()
  expect(ids()).toEqual(['lasting'])
  expect(await routes.find('expiring')).toBeUndefined()
  expect(routes.snapshot.version).toBe(version)
  // A webhook route with an extended expiry is found again without a broadcast.
  const later = new Date(now + 3_600_000)
  await expireAt(later)
  expect(await routes.find('expiring')).toMatchObject({ expiresAt: later })
})

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openTab, startLiveWorld, stats, type Tab } from './live-world.ts'

let world: Awaited<ReturnType<typeof startLiveWorld>>
const tabs: Tab[] = []
const open = async (...options: Parameters<typeof openTab>) => {
  const tab = await openTab(...options)
  tabs.push(tab)
  return tab
}

/**
 * Maximum time until the live streams of an ended session end. Sessions are checked every 800 ms;
 * the remaining time allows for the pauses of a busy machine. Without the check, the streams would
 * stay open.
 */
const endMs = 10_000

beforeAll(async () => {
  world = await startLiveWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const tab of tabs.splice(0)) tab.close()
  await eventually(() => expect(world.streams.size).toBe(0))
  world.gateway.requests.length = 0
  world.failure = undefined
  world.stats = stats()
})

test('GET /admin/live: sends status, figures and changes without texts of errors and addresses', async () => {
  const tab = await open(world.a.url, world.owner, 'changes,figures')
  expect([tab.status, tab.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(await tab.expect('status')).toEqual({ connected: true })
  expect(await tab.expect('figures')).toEqual(world.stats)
  const error = { response: 'NO secret of jane@example.com' }
  const state = { account: 'jane', type: 'state', stateDetail: 'connectError', payload: { error } }
  world.change('1-1', { ...state, key: 'connectError' })
  world.change('1-2', { account: 'kim', type: 'address', key: 'kim@example.com', payload: null })
  expect(await tab.expect('changes')).toEqual([
    { account: 'jane', type: 'state', state: 'connectError' },
    { account: 'kim', type: 'address' },
  ])
})

test('GET /admin/live: a topic is sent only to the tabs that follow it', async () => {
  const all = await open(world.a.url, world.owner, 'outbox,deliveries,changes,workers')
  const outbox = await open(world.a.url, world.owner, 'outbox')
  await Promise.all([all.expect('status'), all.expect('workers'), outbox.expect('status')])
  world.stats = stats({ submitted: 1, delivered: 1, accounts: 2 })
  expect(await all.expect('refresh', 3)).toEqual(['deliveries'])
  expect(all.frames.filter(({ event }) => event === 'refresh').map(({ data }) => data)).toEqual([
    ['changes'],
    ['outbox'],
    ['deliveries'],
  ])
  expect(outbox.frames.map(({ event, data }) => [event, data])).toEqual([
    ['status', { connected: true }],
    ['refresh', ['outbox']],
  ])
})

test('GET /admin/live: a burst of changes becomes one request to load the list', async () => {
  const tab = await open(world.a.url, world.owner, 'changes')
  await tab.expect('status')
  for (let n = 0; n < 500; n += 1)
    world.change(`1-${n}`, { account: `account-${n}`, type: 'state', key: 'connected' })
  expect(await tab.expect('refresh')).toEqual(['changes'])
})

test('50 tabs: one stream of changes and one set of figures for all of them', async () => {
  const people = [world.owner, await world.join('operator'), await world.join('auditor')]
  const opened = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      open(world.a.url, people[n % 3] ?? world.owner, 'changes,figures'),
    ),
  )
  expect(await countOf('posthorn_admin_live_streams')).toBe(50)
  const before = world.requestsOf('/v1/stats').length
  const seen = opened.map(({ frames }) => frames.filter(({ event }) => event === 'figures').length)
  await Promise.all(opened.map((tab, n) => tab.expect('figures', (seen[n] ?? 0) + 3)))
  const [first] = opened
  await eventually(() => {
    const sets = world.requestsOf('/v1/stats').length - before
    const received = first?.frames.filter(({ event }) => event === 'figures').length ?? 0
    // A set of figures (statistics) may arrive between the count of requests and the count of
    // frames.
    expect(Math.abs(sets - (received - (seen[0] ?? 0)))).toBeLessThanOrEqual(1)
  })
  expect(world.streams.size).toBe(1)
  world.change('2-1', { account: 'jane', type: 'state', key: 'connected' })
  await Promise.all(opened.map((tab) => tab.expect('changes')))
})

test('without tabs: no connection to api-gateway stays open, and nothing is read', async () => {
  const other = await world.join('auditor')
  const at = (await open(world.b.url, world.owner, 'figures')) satisfies Tab
  await at.expect('figures')
  const tab = await open(world.a.url, other, 'changes,figures')
  await tab.expect('figures')
  expect(world.streams.size).toBe(2)
  tab.close()
  await eventually(() => expect(world.streams.size).toBe(1))
  const [owners] = world.requestsOf('/v1/stats').map(({ headers }) => headers.authorization)
  world.gateway.requests.length = 0
  await at.expect('figures', at.frames.filter(({ event }) => event === 'figures').length + 2)
  expect(world.gateway.requests.map(({ headers }) => headers.authorization)).toEqual(
    world.gateway.requests.map(() => owners),
  )
  expect(await countOf('posthorn_admin_live_streams')).toBe(0)
})

test('an ended session: ends its streams soon, others continue without a gap', async () => {
  const auditor = await world.join('auditor')
  const mine = await open(world.a.url, world.owner, 'changes')
  await mine.expect('status')
  const ended = await open(world.a.url, auditor, 'changes')
  await ended.expect('status')
  // The next connection to the change stream of api-gateway uses the credential of the role with
  // the fewest rights.
  world.change('5-1', { account: 'jane', type: 'state', key: 'connected' })
  await ended.expect('changes')
  const { headers } = await world.breakStream()
  const first = headers.authorization
  expect(headers['last-event-id']).toBe('5-1')
  const other = world.b.browser()
  other.cookie = auditor.cookie
  const startedAt = performance.now()
  expect((await other.post('/admin/session/sign-out')).status).toBe(204)
  expect(await ended.ended).toBe(true)
  expect(performance.now() - startedAt).toBeLessThan(endMs)
  const next = await eventually(() => {
    const stream = [...world.streams].find((each) => each.headers.authorization !== first)
    if (!stream) throw new Error('the credential of the ended session is still used')
    return stream
  })
  expect(next.headers['last-event-id']).toBe('5-1')
  world.gateway.requests.length = 0
  world.change('5-2', { account: 'jane', type: 'state', key: 'connecting' })
  expect(await mine.expect('changes', 2)).toEqual([
    { account: 'jane', type: 'state', state: 'connecting' },
  ])
  expect(world.gateway.requests.map(({ headers }) => headers.authorization)).not.toContain(first)
  expect((await openTab(world.a.url, auditor, 'changes')).status).toBe(401)
})

test('a refused credential: another tab is used, and no outage is reported', async () => {
  const auditor = await world.join('auditor')
  const mine = await open(world.a.url, world.owner, 'changes')
  await mine.expect('status')
  await open(world.a.url, auditor, 'changes')
  const [first] = world.streams
  const { reply } = world.gateway
  world.gateway.reply = (request, response) =>
    request.headers.authorization === first?.headers.authorization
      ? reply(request, response)
      : void response.writeHead(401).end('{}')
  await world.breakStream()
  world.gateway.reply = reply
  world.change('6-1', { account: 'jane', type: 'state', key: 'connected' })
  await mine.expect('changes')
  expect(mine.frames.filter(({ event }) => event === 'status')).toHaveLength(1)
})

test('an outage of api-gateway: is reported, and changes continue after the last one', async () => {
  const tab = await open(world.a.url, world.owner, 'changes')
  await tab.expect('status')
  world.change('7-1', { account: 'jane', type: 'state', key: 'connected' })
  await tab.expect('changes')
  world.failure = 503
  for (const { response } of world.streams) response.destroy()
  expect(await tab.expect('status', 2)).toEqual({ connected: false })
  const late = await open(world.a.url, world.owner, 'changes')
  expect(await late.expect('status')).toEqual({ connected: false })
  world.failure = undefined
  expect(await tab.expect('status', 3)).toEqual({ connected: true })
  expect([...world.streams][0]?.headers['last-event-id']).toBe('7-1')
  expect(await late.expect('status', 2)).toEqual({ connected: true })
})

test('a stream of changes that breaks now and then: no outage is reported', async () => {
  const tab = await open(world.a.url, world.owner, 'changes,figures')
  const countFigures = () => tab.frames.filter(({ event }) => event === 'figures').length
  await tab.expect('status')
  for (const id of ['8-1', '8-2']) {
    // Sets of figures (statistics) have an interval of 2 s, so that the stream of changes has been
    // open for a while.
    await tab.expect('figures', countFigures() + 3)
    await world.breakStream()
    world.change(id, { account: 'jane', type: 'state', key: 'connected' })
  }
  await tab.expect('changes', 2)
  expect(tab.frames.filter(({ event }) => event === 'status')).toHaveLength(1)
})

test('changes that were deleted unread: the tabs load all accounts again', async () => {
  const tab = await open(world.a.url, world.owner, 'changes')
  await tab.expect('status')
  for (const { response } of world.streams)
    response.write('id: 9-1\nevent: historyLost\ndata: {"lastEventId":"1-1"}\n\n')
  expect(await tab.expect('refresh')).toEqual(['changes'])
})

test.each([
  ['', 400],
  ['changes,mail', 400],
  ['workers', 403],
])('topics %j of a support person: %i', async (topics, status) => {
  const support = await world.join('support')
  const { problem, ...tab } = await openTab(world.a.url, support, topics)
  expect(tab.status).toBe(status)
  if (status === 403) expect(problem).toMatchObject({ requiredRole: 'auditor' })
  expect(world.gateway.requests).toEqual([])
})

test('a request without the header of the pages: 403', async () => {
  const path = '/admin/live?topics=changes'
  expect((await world.owner.send('GET', path, { headers: { 'x-svc-admin': '' } })).status).toBe(403)
})

test('HEAD /admin/live: ends after the head and reads nothing', async () => {
  const reply = await world.owner.send('HEAD', '/admin/live?topics=changes')
  expect(reply.status).toBe(200)
  expect(world.gateway.requests).toEqual([])
})

test('above 20 streams of a person: 429, other people are not affected', async () => {
  const [person, other] = [await world.join('operator'), await world.join('operator')]
  const opened = Array.from({ length: 20 }, () => open(world.a.url, person, 'changes'))
  for (const { status } of await Promise.all(opened)) expect(status).toBe(200)
  expect((await open(world.a.url, person, 'changes')).status).toBe(429)
  expect(await countOf('posthorn_admin_live_streams_ended_total{.*reason="limited"')).toBe(1)
  expect((await open(world.a.url, other, 'changes')).status).toBe(200)
  ;(await opened[0])?.close()
  await eventually(async () =>
    expect((await open(world.a.url, person, 'changes')).status).toBe(200),
  )
})

test('shutdown: ends the streams, so that the tabs connect to another replica', async () => {
  const app = await startApp(readConfig(world.env), new AbortController().signal)
  const tab = await open(`http://127.0.0.1:${app.port}`, world.owner, 'changes')
  await tab.expect('status')
  await app[Symbol.asyncDispose]()
  expect(await tab.ended).toBe(true)
  await eventually(() => expect(world.streams.size).toBe(0))
})

/** Value of a metric of the replica `a`, by the start of its name and labels. */
async function countOf(metric: string): Promise<number> {
  const text = await (await fetch(`${world.a.url}/metrics`)).text()
  const pattern = new RegExp(`^${metric}.* (\\d+)$`, 'm')
  return Number(pattern.exec(text)?.[1] ?? 0)
}

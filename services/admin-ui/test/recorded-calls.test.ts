import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { buffer } from 'node:stream/consumers'
import { eventually } from '@posthorn/testkit'
import { type CallWorld, startCallWorld } from './call-world.ts'

let world: CallWorld
let owner: string

beforeAll(async () => {
  world = await startCallWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  owner = await world.signIn('owner')
  world.gateway.requests.length = 0
  world.gateway.reply = (_request, response) => void response.end('{}')
})

/** Audit log rows of the session of the test. */
async function rowsOf(session = owner) {
  return (await world.rows()).filter((row) => row.session === session)
}

/** Audit log rows of the session of the test, once the outcome of its only action is recorded. */
async function endedRows(session = owner) {
  return eventually(async () => {
    const rows = await rowsOf(session)
    expect(rows).toHaveLength(2)
    return rows
  })
}

const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ imap: { auth: { pass: 'hunter2' }, host: 'h' }, name: 'Jane Doe' })

test('Forwarder: a change has a row before it is forwarded and a row with its outcome', async () => {
  let before: Awaited<ReturnType<typeof rowsOf>> = []
  let received = ''
  world.gateway.reply = (request, response) => {
    void Promise.all([buffer(request), rowsOf()]).then(([bytes, rows]) => {
      received = String(bytes)
      before = rows
      response.end('{"account":"jane"}')
    })
  }
  const path = '/admin/call/v1/account/jane%2Fdoe?secret=query'
  const reply = await world.call(owner, path, { method: 'PUT', headers: json, body })
  expect(String(reply.body)).toBe('{"account":"jane"}')
  expect(received).toBe(body)
  expect(before).toMatchObject([{ phase: 'attempt', status: null, outcome: null }])
  const rows = await endedRows()
  const same = {
    operation: 'updateAccount',
    method: 'PUT',
    path: '/v1/account/jane%2Fdoe',
    account: 'jane/doe',
    keys: ['imap', 'imap.auth', 'imap.host', 'name'],
    role: 'owner',
    address: '192.0.2.7',
    reason: null,
    request: rows[0]?.id,
  }
  expect(rows).toMatchObject([
    { ...same, phase: 'attempt' },
    { ...same, phase: 'outcome', status: 200, outcome: 'done' },
  ])
  expect(JSON.stringify(rows)).not.toMatch(/hunter2|Jane Doe|query|sess_/)
})

test.each<[string, Record<string, string>, string]>([
  ['the coding identity', { ...json, 'content-encoding': 'identity' }, body],
  ['a byte order mark', json, `\uFEFF${body}`],
])('Forwarder: the keys of a body with %s are recorded', async (_case, headers, sent) => {
  await world.call(owner, '/admin/call/v1/account/jane', { method: 'PUT', headers, body: sent })
  const [row] = await endedRows()
  expect(row?.keys).toEqual(['imap', 'imap.auth', 'imap.host', 'name'])
})

test('Forwarder: an access token in a path is not recorded', async () => {
  const token = 'f'.repeat(64)
  await world.call(owner, `/admin/call/v1/token/${token}`, { method: 'DELETE' })
  expect(world.gateway.requests).toMatchObject([{ url: `/v1/token/${token}` }])
  const rows = await endedRows()
  expect(rows.map(({ path }) => path)).toEqual(['/v1/token/{token}', '/v1/token/{token}'])
})

test.each([
  [403, '{"code":"StepUpRequired","message":"x"}', 'StepUpRequired'],
  [404, '{"message":"x"}', 'Not Found'],
  [400, '<html>', 'Bad Request'],
])('Forwarder: response %i %s has the outcome %s', async (status, content, outcome) => {
  world.gateway.reply = (_request, response) => void response.writeHead(status).end(content)
  const reply = await world.call(owner, '/admin/call/v1/account/jane', { method: 'DELETE' })
  expect([reply.status, String(reply.body)]).toEqual([status, content])
  expect((await endedRows()).at(-1)).toMatchObject({ status, outcome })
})

test('Forwarder: reading mail is recorded with its reason, other reading is not recorded', async () => {
  const until = new Date(Date.now() + 600_000)
  const session = await world.signIn('support', { until, reason: 'ticket 7' })
  await world.call(owner, '/admin/call/v1/account/jane/message/AAAA')
  expect(await endedRows()).toMatchObject([{ operation: 'getMessage', reason: null }, {}])
  await world.call(session, '/admin/call/v1/account/jane')
  expect(await rowsOf(session)).toEqual([])
  await world.call(session, '/admin/call/v1/account/jane/message/AAAA')
  expect(await endedRows(session)).toMatchObject([
    { phase: 'attempt', operation: 'getMessage', reason: 'ticket 7', account: 'jane' },
    { phase: 'outcome', outcome: 'done', reason: 'ticket 7' },
  ])
})

test('Forwarder: a delivery is recorded while its response may contain mail', async () => {
  const path = '/admin/call/admin/api/webhookDeliveries/1'
  await world.call(owner, path)
  expect(world.gateway.requests).toHaveLength(1)
  expect(await rowsOf()).toEqual([])
  const until = new Date(Date.now() + 600_000)
  const session = await world.signIn('operator', { until, reason: 'ticket 8' })
  await world.call(session, path)
  expect(await endedRows(session)).toMatchObject([
    { operation: 'getWebhookDelivery', reason: 'ticket 8' },
    { outcome: 'done' },
  ])
})

test('Forwarder: without Postgres, a change gets 503 and is not forwarded', async () => {
  world.cutPostgres()
  const change = { method: 'PUT', headers: json, body }
  const refused = await world.call(owner, '/admin/call/v1/account/jane', change)
  expect(refused.status).toBe(503)
  expect(JSON.parse(String(refused.body))).toMatchObject({
    message: 'The audit log cannot be written, so nothing was changed. Retry later',
  })
  const reading = await world.call(owner, '/admin/call/v1/account/jane/message/AAAA')
  expect(reading.status).toBe(503)
  expect(world.gateway.requests).toEqual([])
  expect(await world.countOf('notRecorded')).toBe(2)
  world.connectPostgres()
  await eventually(async () =>
    expect((await world.call(owner, '/admin/call/v1/account/jane', change)).status).toBe(200),
  )
})

test('Forwarder: an outcome during an outage of Postgres is recorded after the outage', async () => {
  world.gateway.reply = (_request, response) => {
    world.cutPostgres()
    response.end('{}')
  }
  const reply = await world.call(owner, '/admin/call/v1/account/jane/flush', { method: 'PUT' })
  expect(reply.status).toBe(200)
  expect(await rowsOf()).toMatchObject([{ phase: 'attempt' }])
  world.connectPostgres()
  await eventually(async () =>
    expect(await rowsOf()).toMatchObject([{ phase: 'attempt' }, { outcome: 'done' }]),
  )
})

test('Forwarder: a silent api-gateway gets 504, which is recorded', async () => {
  await using silent = await startCallWorld({ silenceMs: 300 })
  const session = await silent.signIn('owner')
  silent.gateway.reply = () => undefined
  const path = '/admin/call/v1/account/jane/sync'
  const reply = await silent.call(session, path, { method: 'PUT' })
  expect([reply.status, String(reply.body)]).toEqual([504, expect.stringContaining('in time')])
  await eventually(async () =>
    expect(await silent.rows()).toMatchObject([
      { phase: 'attempt' },
      { phase: 'outcome', status: 504, outcome: 'Gateway Timeout' },
    ]),
  )
  expect(await silent.countOf('failed')).toBe(1)
})

test('Forwarder: a closed connection to api-gateway gets 503, which is recorded', async () => {
  world.gateway.reply = (request) => void request.socket.destroy()
  const closed = await world.call(owner, '/admin/call/v1/account/jane/sync', { method: 'PUT' })
  expect([closed.status, String(closed.body)]).toEqual([
    503,
    expect.stringContaining('api-gateway'),
  ])
  expect((await endedRows()).at(-1)).toMatchObject({ status: 503, outcome: 'Service Unavailable' })
  expect(await world.countOf('failed')).toBe(1)
})

test('Forwarder: a change whose response is incomplete counts as done', async () => {
  world.gateway.reply = (request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"a":', () => request.socket.destroy())
  }
  const call = world.call(owner, '/admin/call/v1/account/jane/sync', { method: 'PUT' })
  await expect(call).rejects.toThrow()
  await eventually(async () =>
    expect((await rowsOf()).at(-1)).toMatchObject({ status: 200, outcome: 'done' }),
  )
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import type { CommandRequest } from '@posthorn/contracts/define'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

beforeAll(async () => {
  await sql`insert into accounts (account, shard, name) values ('a', 0, 'a'), ('b', 0, 'b')`.execute(
    db,
  )
  await sql`
    insert into outbox (queue_id, account, shard, source, state, message_id, envelope, subject, proxy, created_at, send_at,
      next_attempt_at, attempts, last_error, lease_until, data_sent_at, finished_at, response)
    select 'q' || n, case when n = 5 then 'b' else 'a' end, 0, 'api',
      case n when 3 then 'held' when 6 then 'sent' when 7 then 'failed' else 'queued' end,
      '<' || n || '@x>', '{"from": "a@x", "to": ["b@x"]}', 's' || n, case when n = 1 then 'http://u:secret@proxy:1' end,
      timestamptz '2030-01-01' + make_interval(secs => n), timestamptz '2031-01-01', timestamptz '2031-01-02',
      case when n in (2, 7) then 1 else 0 end, case when n in (2, 7) then '{"message": "no", "code": "EX"}'::jsonb end,
      case when n = 4 then now() + interval '1 hour' end, null, case when n > 5 then now() end, case when n = 6 then '250 ok' end
    from generate_series(1, 7) n`.execute(db)
})

interface Entry {
  queueId: string
  progress: { status: string }
}
const ids = (body: Record<string, unknown>) =>
  (body['messages'] as Entry[]).map(({ queueId }) => queueId)

test('listOutbox: returns pages of queued submissions of all accounts, oldest first', async () => {
  const { status, body } = await call('GET', '/v1/outbox?pageSize=2&page=1')
  expect(status).toBe(200)
  expect(body).toMatchObject({ total: 5, page: 1, pages: 3 })
  expect(ids(body)).toEqual(['q3', 'q4'])
  expect((await call('GET', '/v1/outbox?page=9')).body).toMatchObject({ total: 5, messages: [] })
})

test('listOutbox: filters by account and state', async () => {
  const of = async (query: string) => ids((await call('GET', `/v1/outbox?${query}`)).body)
  expect(await of('account=b')).toEqual(['q5'])
  expect(await of('account=missing')).toEqual([])
  expect(await of('state=held')).toEqual(['q3'])
  expect(await of('state=sent')).toEqual(['q6'])
  expect(await of('state=failed&account=a')).toEqual(['q7'])
  expect(await of('state=queued&account=a')).toEqual(['q1', 'q2', 'q4'])
  expect((await call('GET', '/v1/outbox?state=lost')).status).toBe(400)
})

test('getOutboxEntry: contains all fields, the password of the proxy masked', async () => {
  expect((await call('GET', '/v1/outbox/q1')).body).toEqual({
    queueId: 'q1',
    account: 'a',
    source: 'api',
    state: 'queued',
    messageId: '<1@x>',
    envelope: { from: 'a@x', to: ['b@x'] },
    subject: 's1',
    gateway: null,
    proxy: expect.stringMatching(/^http:\/\/u:\*{6}@proxy:1\/?$/),
    localAddress: null,
    idempotencyKey: null,
    useStructuredFormat: false,
    created: '2030-01-01T00:00:01.000Z',
    scheduled: '2031-01-01T00:00:00.000Z',
    nextAttempt: '2031-01-02T00:00:00.000Z',
    attemptsMade: 0,
    attempts: 10,
    progress: { status: 'queued' },
  })
  expect((await call('GET', '/v1/outbox/q2')).body).toMatchObject({
    progress: { status: 'error', error: { message: 'no', code: 'EX', networkRouting: null } },
  })
  expect((await call('GET', '/v1/outbox/q4')).body).toMatchObject({
    nextAttempt: false,
    progress: { status: 'processing' },
  })
  expect((await call('GET', '/v1/outbox/q6')).body).toMatchObject({
    nextAttempt: false,
    progress: { status: 'submitted', response: '250 ok', messageId: '<6@x>' },
  })
  expect(await call('GET', '/v1/outbox/none')).toMatchObject({
    status: 404,
    body: { code: 'NotFound' },
  })
})

test('getAccount: smtpStatus reports the last attempt through the own server', async () => {
  await sql`insert into accounts (account, shard, name) values ('sends', 0, 'x')`.execute(db)
  const smtpStatus = async () => (await call('GET', '/v1/account/sends')).body['smtpStatus']
  const add = (queueId: string, columns: object) =>
    db
      .insertInto('outbox')
      .values({
        queueId,
        account: 'sends',
        shard: 0,
        source: 'api',
        messageId: `<${queueId}@x>`,
        envelope: JSON.stringify({ from: 'a@x', to: ['b@x'] }),
        ...columns,
      })
      .execute()
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
  expect(await smtpStatus()).toBeNull()
  await add('waits', {})
  await add('by-gateway', { gateway: 'g', state: 'sent', finishedAt: at(9), response: '250 g' })
  expect(await smtpStatus()).toBeNull()
  await add('sent', { state: 'sent', finishedAt: at(1), response: '250 ok' })
  expect(await smtpStatus()).toEqual({
    created: '2026-01-01T00:01:00.000Z',
    status: 'ok',
    response: '250 ok',
    networkRouting: null,
  })
  const lastError = { message: 'no', code: 'EAUTH', responseCode: 535, response: '535 no' }
  await add('tried', {
    attemptStartedAt: at(2),
    attempts: 1,
    lastError: JSON.stringify({ ...lastError, command: 'AUTH' }),
    networkRouting: JSON.stringify({ name: 'us.example' }),
  })
  expect(await smtpStatus()).toEqual({
    created: '2026-01-01T00:02:00.000Z',
    status: 'error',
    description: 'no',
    code: 'EAUTH',
    response: '535 no',
    responseCode: 535,
    command: 'AUTH',
    networkRouting: { name: 'us.example' },
  })
  await db.deleteFrom('outbox').where('account', '=', 'sends').execute()
})

test('outbox operations: a sent submission whose bounce arrived has the state bounced', async () => {
  const bouncedAt = (time: Date | null) =>
    db.updateTable('outbox').set({ bouncedAt: time }).where('queueId', 'in', ['q4', 'q6']).execute()
  const state = async (queueId: string) =>
    (await call('GET', `/v1/outbox/${queueId}`)).body['state']
  const listed = async (state: string) => ids((await call('GET', `/v1/outbox?state=${state}`)).body)
  expect(await listed('bounced')).toEqual([])
  await bouncedAt(new Date())
  // A bounce report about one recipient may arrive while the message waits for the next sending
  // attempt to other recipients.
  expect([await state('q6'), await state('q4')]).toEqual(['bounced', 'queued'])
  expect([await listed('bounced'), await listed('sent')]).toEqual([['q6'], []])
  await bouncedAt(null)
  expect([await state('q6'), await listed('sent')]).toEqual(['sent', ['q6']])
})

test('outbox operations: reject account-bound tokens and tokens without the permission', async () => {
  const bound = await mint(call, { account: 'a', scopes: ['api'], description: 'x' })
  expect((await call('GET', '/v1/outbox', { token: bound })).status).toBe(403)
  expect((await call('DELETE', '/v1/outbox/q1', { token: bound })).status).toBe(403)
  const reader = await mint(call, {
    scopes: ['api'],
    description: 'x',
    permissions: { actions: ['read'], groups: ['outbox'] },
  })
  expect((await call('GET', '/v1/outbox', { token: reader })).status).toBe(200)
  expect((await call('PUT', '/v1/outbox/q1/hold', { token: reader })).status).toBe(403)
  expect((await call('GET', '/v1/settings/queue/submit', { token: reader })).status).toBe(403)
})

test('outbox operations: send changeOutbox to a sender and map its reply', async () => {
  expect(await call('DELETE', '/v1/outbox/q1')).toMatchObject({
    status: 503,
    body: { code: 'WorkerNotAvailable' },
  })
  const commands: CommandRequest<typeof changeOutbox>[] = []
  await bus.serve({
    queue: 'outbox',
    keys: ['outbox'],
    handlers: [
      on(changeOutbox, async (request) => {
        commands.push(request)
        const results = { busy: 'busy', none: 'missing' } as const
        const { queueId } = request
        return { result: results[queueId as keyof typeof results] ?? ('done' as const) }
      }),
    ],
  })
  const change = (method: string, path: string) =>
    eventually(async () => {
      const answer = await call(method, `/v1/outbox/${path}`)
      if (answer.status === 503) throw new Error('not up yet')
      return answer
    })
  expect(await change('DELETE', 'q1')).toMatchObject({ status: 200, body: { deleted: true } })
  expect(await change('PUT', 'q1/hold')).toMatchObject({ status: 200, body: { held: true } })
  expect(await change('PUT', 'q1/release')).toMatchObject({ status: 200, body: { released: true } })
  expect(await change('PUT', 'q1/send')).toMatchObject({ status: 200, body: { due: true } })
  expect(commands.map(({ action }) => action)).toEqual(['delete', 'hold', 'release', 'send'])
  expect(await change('DELETE', 'busy')).toMatchObject({
    status: 400,
    body: { code: 'UnsupportedOperation' },
  })
  expect(await change('PUT', 'none/send')).toMatchObject({
    status: 404,
    body: { code: 'NotFound' },
  })
})

test('updateQueue: pauses and resumes a queue', async () => {
  const path = '/v1/settings/queue/submit'
  const jobs = { active: 1, delayed: 3, paused: 1, waiting: 0 }
  expect((await call('GET', path)).body).toEqual({ queue: 'submit', jobs, paused: false })
  await sql`update outbox set next_attempt_at = now() where queue_id = 'q1'`.execute(db)
  expect((await call('GET', path)).body).toMatchObject({ jobs: { paused: 1, waiting: 1 } })

  const answer = await call('PUT', path, { body: { paused: true } })
  expect(answer).toMatchObject({ status: 200, body: { queue: 'submit', paused: true } })
  await call('PUT', path, { body: { paused: true } })
  expect((await call('GET', path)).body).toMatchObject({
    paused: true,
    jobs: { paused: 2, waiting: 0 },
  })
  expect((await call('GET', '/v1/settings/queue/notify')).body).toEqual({
    queue: 'notify',
    jobs: { active: 0, delayed: 0, paused: 0, waiting: 0 },
    paused: false,
  })

  expect((await call('PUT', path, { body: {} })).body).toEqual({ queue: 'submit', paused: true })
  await call('PUT', path, { body: { paused: false } })
  expect((await call('GET', path)).body).toMatchObject({ paused: false })
  expect((await call('GET', '/v1/settings/queue/documents')).status).toBe(400)
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { release as product } from '@posthorn/config/release'
import type { Db, Tx } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { eventually, RawClient } from '@posthorn/testkit'
import { sql } from 'kysely'
import { follow, type StreamClient } from './event-stream.ts'
import { admin, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
const one = await servers.start()
const other = await servers.start({ SVC_CHANGES_KEEP_ALIVE: '100ms' })
/**
 * Gateway that polls account changes once an hour only, so that invalidations alone make the
 * gateway read changes.
 */
const unpolled = await servers.start({}, { changesPollMs: 3_600_000 })

/** Inserts an account change into Postgres, as sync-worker does. */
const change = (on: Db | Tx, account: string, key: string) => insert(on, { account, key })
const insert = (on: Db | Tx, values: { account: string; key: string; payload?: string }) =>
  on
    .insertInto('accountChanges')
    .values({ type: 'state', ...values })
    .execute()

/** Starts a Postgres transaction that stays open until `commit` or `rollback` is called. */
async function openTransaction(work: (tx: Tx) => Promise<unknown>) {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = db
    .transaction()
    .execute(async (tx) => {
      await work(tx)
      begun.resolve()
      await end.promise
    })
    .catch(() => undefined)
  await begun.promise
  return {
    async commit() {
      end.resolve()
      await done
    },
    async rollback() {
      end.reject(new Error('rollback'))
      await done
    },
  }
}

test('GET /v1/changes: sends the version and an id, then each change', async () => {
  const stream = await follow(one.url)
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(stream.headers.get('x-accel-buffering')).toBe('no')
  await eventually(() => expect(stream.lastId).toMatch(/^\d+-0$/))
  expect(stream.comments[0]).toBe(`: Posthorn v${product.version}`)

  await change(db, 'a', 'connecting')
  const error = { response: 'down', serverResponseCode: 'X' }
  await insert(db, { account: 'a', key: 'connectError', payload: JSON.stringify({ error }) })
  await stream.expect(2)
  expect(stream.frames).toEqual([
    {
      id: expect.stringMatching(/^\d+-\d+$/),
      event: 'message',
      data: {
        account: 'a',
        type: 'state',
        key: 'init',
        stateDetail: 'connecting',
        payload: null,
      },
    },
    {
      id: expect.stringMatching(/^\d+-\d+$/),
      event: 'message',
      data: {
        account: 'a',
        type: 'state',
        key: 'connectError',
        stateDetail: 'connectError',
        payload: { error },
      },
    },
  ])
  await stream.stop()
})

test('GET /v1/changes: a change is sent on invalidation, or by polling without one', async () => {
  const polled = await follow(one.url)
  await change(db, 'slow', 'not announced')
  await polled.expect(1)
  await polled.stop()
  const stream = await follow(unpolled.url)
  await eventually(() => expect(stream.lastId).toBeDefined())
  for (let n = 1; n <= 6; n++) {
    await change(db, 'quick', String(n))
    await bus.invalidate({ topic: 'changes' })
    await stream.expect(n)
  }
  await stream.stop()
})

test('Last-Event-ID: at another replica, continues without gap or duplicate', async () => {
  const first = await follow(one.url)
  await change(db, 'r', '1')
  await first.expect(1)
  await first.stop()
  for (const key of ['2', '3', '4']) await change(db, 'r', key)
  const second = await follow(other.url, { after: first.lastId })
  await change(db, 'r', '5')
  expect(await second.expect(4)).toEqual(['r 2', 'r 3', 'r 4', 'r 5'])
  await second.stop()

  const between = second.frames[1]?.id
  const third = await follow(one.url, { query: `?lastEventId=${between}` })
  expect(await third.expect(2)).toEqual(['r 4', 'r 5'])
  await third.stop()
})

test('Last-Event-ID: of a stream without changes, continues from its start', async () => {
  const first = await follow(one.url)
  await eventually(() => expect(first.lastId).toBeDefined())
  await first.stop()
  await change(db, 'silence', 'broken')
  const second = await follow(other.url, { after: first.lastId })
  expect(await second.expect(1)).toEqual(['silence broken'])
  await second.stop()
})

test('GET /v1/changes: a change committed late is sent, in order, to all streams', async () => {
  const early = await follow(one.url)
  const late = await openTransaction((tx) => change(tx, 'late', 'has the smaller id'))
  await change(db, 'quick', 'has the larger id')
  // Connects a client of the change stream while the transaction of the first account change is
  // open, to get the position of the stream at that time.
  const between = await follow(other.url)
  await eventually(() => expect(between.lastId).toBeDefined())
  await between.stop()
  expect(early.changes()).toEqual([])
  await late.commit()

  expect(await early.expect(2)).toEqual(['late has the smaller id', 'quick has the larger id'])
  const back = await follow(one.url, { after: between.lastId })
  expect(await back.expect(2)).toEqual(['late has the smaller id', 'quick has the larger id'])
  await Promise.all([early.stop(), back.stop()])
})

test('GET /v1/changes: a change rolled back is not sent and delays no other', async () => {
  const stream = await follow(one.url)
  const never = await openTransaction((tx) => change(tx, 'never', 'was'))
  await change(db, 'then', 'was')
  await never.rollback()
  expect(await stream.expect(1)).toEqual(['then was'])
  await stream.stop()
})

test('GET /v1/changes: concurrent writers, reconnecting reader, each change once in one order', async () => {
  const received: string[] = []
  let done = false
  const start = await follow(one.url)
  await eventually(() => expect(start.lastId).toBeDefined())
  await start.stop()

  const reader = (async () => {
    let after = start.lastId
    for (let round = 0; received.length < 240; round++) {
      const stream: StreamClient = await follow((round % 2 ? one : other).url, { after })
      await eventually(() => {
        if (stream.changes().length === 0 && !done) throw new Error('no changes yet')
      })
      if (done) await stream.expect(240 - received.length)
      await stream.stop()
      received.push(...stream.changes())
      after = stream.lastId
    }
  })()
  const writer = async (name: number) => {
    for (let n = 0; n < 40; n++)
      await db.transaction().execute(async (tx) => {
        await change(tx, `w${name}`, String(n))
        // Keeps the transaction with an account change open for about the duration of a few other
        // transactions.
        await sql`select pg_sleep(${((name * 7 + n * 3) % 5) / 200})`.execute(tx)
      })
  }
  await Promise.all(Array.from({ length: 5 }, (_, name) => writer(name)))
  await writer(5)
  done = true
  await reader

  const { rows } = await sql<{ name: string }>`
    select account || ' ' || key as name from account_changes where account like 'w%' order by xid, id
  `.execute(db)
  expect(received).toEqual(rows.map(({ name }) => name))
  expect(received).toHaveLength(240)
})

test('Last-Event-ID: deleted changes, sends one historyLost, then the remaining changes', async () => {
  const first = await follow(one.url)
  await change(db, 'h', '1')
  await first.expect(1)
  await first.stop()
  await change(db, 'h', '2')
  await change(db, 'h', '3')
  const second = await follow(one.url, { after: first.lastId })
  await second.expect(2)
  await second.stop()
  // Deletes old account changes as the retention of sync-worker does.
  const [xid, id] = String(second.frames[0]?.id).split('-')
  await sql`delete from account_changes where (xid, id) <= (${xid}::xid8, ${id}::bigint)`.execute(
    db,
  )
  await sql`update account_changes_horizon set xid = ${xid}::xid8, id = ${id}`.execute(db)

  const back = await follow(other.url, { after: first.lastId })
  expect(await back.expect(1)).toEqual(['h 3'])
  expect(back.frames[0]).toEqual({
    id: `${xid}-${id}`,
    event: 'historyLost',
    data: { lastEventId: first.lastId },
  })
  await back.stop()
  // A client whose last event id is the horizon (position of the last deleted change) has missed no
  // account change.
  const current = await follow(other.url, { after: `${xid}-${id}` })
  expect(await current.expect(1)).toEqual(['h 3'])
  expect(current.frames.map(({ event }) => event)).toEqual(['message'])
  await current.stop()
})

test('Last-Event-ID: id of another database, ahead of this one, sends historyLost', async () => {
  const stream = await follow(one.url, { after: '9000000000000-1' })
  await eventually(() =>
    expect(stream.frames[0]).toMatchObject({
      event: 'historyLost',
      data: { lastEventId: '9000000000000-1' },
    }),
  )
  await change(db, 'after the move', 'connected')
  await eventually(() => expect(stream.changes()).toContain('after the move connected'))
  await stream.stop()
})

test('Last-Event-ID: invalid, responds 400; empty lastEventId is ignored', async () => {
  for (const bad of ['nonsense', '1', '1-1-1', '18446744073709551616-1']) {
    const query = await one.call('GET', `/v1/changes?lastEventId=${bad}`)
    expect([query.status, query.body.fields?.[0]?.path]).toEqual([400, 'lastEventId'])
    const header = await one.call('GET', '/v1/changes', { headers: { 'last-event-id': bad } })
    expect([header.status, header.body.fields?.[0]?.path]).toEqual([400, 'last-event-id'])
  }
  const empty = await follow(one.url, { query: '?lastEventId=' })
  expect(empty.status).toBe(200)
  await empty.stop()
})

test('Last-Event-ID: has priority over lastEventId, which reconnecting clients repeat', async () => {
  const first = await follow(one.url)
  await change(db, 'both', '1')
  await change(db, 'both', '2')
  await first.expect(2)
  await first.stop()
  const [old, fresh] = first.frames.map(({ id }) => id)
  await change(db, 'both', '3')
  const back = await follow(one.url, { after: fresh, query: `?lastEventId=${old}` })
  expect(await back.expect(1)).toEqual(['both 3'])
  await back.stop()
})

test('GET /v1/changes: 403 for an account token, 200 for a token of the group events', async () => {
  await one.call('POST', '/v1/account', { body: registration('mine') })
  const bound = await follow(one.url, { token: await mint(one.call, { account: 'mine' }) })
  expect(bound.status).toBe(403)
  const permissions = { actions: ['read'], groups: ['events'] }
  const events = await follow(one.url, { token: await mint(one.call, { permissions }) })
  expect(events.status).toBe(200)
  await events.stop()
})

test('GET /v1/changes: token revoked, deleted or expired, ends its streams only', async () => {
  const expires = new Date(Date.now() + 86_400_000).toISOString()
  const expiring = await mint(one.call, { expires })
  const [revoked, deleted] = [await mint(one.call, {}), await mint(one.call, {})]
  const streams = [
    await follow(other.url, { token: revoked }),
    await follow(other.url, { token: deleted }),
    await follow(other.url, { token: expiring }),
  ]
  const stays = await follow(other.url)
  await one.call('DELETE', `/v1/tokens/${revoked}`)
  await db.deleteFrom('tokens').where('id', '=', hashToken(deleted)).execute()
  const ended = { expiresAt: new Date(Date.now() - 1) }
  await db.updateTable('tokens').set(ended).where('id', '=', hashToken(expiring)).execute()
  await Promise.all(streams.map(({ ended }) => ended))
  await change(db, 'stays', 'connected')
  expect(await stays.expect(1)).toEqual(['stays connected'])
  await stays.stop()
})

test('HEAD /v1/changes: sends headers and closes', async () => {
  const client = await RawClient.open(Number(new URL(one.url).port))
  client.send(`HEAD /v1/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${admin}\r\n\r\n`)
  expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream[^]*\r\n\r\n$/)
  client.close()
})

test('GET /v1/changes: without changes, sends keep-alive comments', async () => {
  const stream = await follow(other.url)
  await eventually(() =>
    expect(stream.comments.filter((line) => line === ': keep-alive').length).toBeGreaterThan(1),
  )
  expect(stream.frames).toEqual([])
  await stream.stop()
})

test('GET /v1/changes: gateway stops, streams end', async () => {
  const gateway = await servers.start()
  const stream = await follow(gateway.url)
  await gateway[Symbol.asyncDispose]()
  await expect(stream.ended).resolves.toBeUndefined()
})

test('GET /v1/changes: slow client, is disconnected and finds all changes after reconnecting', async () => {
  const reader = await follow(one.url)
  await eventually(() => expect(reader.lastId).toBeDefined())
  const socket = connect(Number(new URL(one.url).port), '127.0.0.1')
  const bytes: Buffer[] = []
  socket.on('data', (chunk) => bytes.push(chunk))
  const closed = once(socket, 'close')
  // The change stream is requested by HTTP/1.0, so that the response has no chunk headers.
  socket.write(`GET /v1/changes HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${admin}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  await eventually(async () => expect(await clientsOf(one.url)).toBe(2))

  // The account changes exceed the buffers of kernel and gateway together. One batch of changes
  // fits into the buffers, so that the other client keeps up.
  const count = 2_400
  for (let inserted = 0; inserted < count; inserted += 40) {
    await sql`
      insert into account_changes (account, type, key, payload)
      select 'big', 'state', n::text, jsonb_build_object('error', jsonb_build_object('response', repeat('x', 9000)))
      from generate_series(${inserted + 1}::integer, ${inserted + 40}::integer) n
    `.execute(db)
    await bus.invalidate({ topic: 'changes' })
    await eventually(() => expect(reader.frames.length).toBeGreaterThanOrEqual(inserted + 40))
  }
  await eventually(async () => expect(await clientsOf(one.url)).toBe(1))
  await reader.stop()

  socket.resume()
  await closed
  const frames = Buffer.concat(bytes).toString().split('\n\n').slice(0, -1)
  const keys = frames.flatMap((frame) => /"account":"big".*"key":"(\d+)"/.exec(frame)?.[1] ?? [])
  const after = frames.flatMap((frame) => /^id: (.*)$/m.exec(frame)?.[1] ?? []).at(-1)
  expect(keys.length).toBeLessThan(count)
  const back = await follow(other.url, { after })
  const rest = await back.expect(count - keys.length)
  expect([...keys.map((key) => `big ${key}`), ...rest]).toEqual(reader.changes())
  await back.stop()
})

async function clientsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^posthorn_changes_clients\{[^}]*\} (\d+)/m.exec(metrics)?.[1])
}

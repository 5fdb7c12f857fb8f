import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import type { Db, Tx } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, RawClient } from '@posthorn/testkit'
import { sql } from 'kysely'
import { follow, type Following } from './event-stream.ts'
import { admin, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, broker } = servers
const bus = await connectBus({
  url: broker.url,
  name: 'worker',
  log: createLogger('worker', 'silent'),
  metrics: createMetrics('worker'),
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
const one = await servers.start()
const other = await servers.start({ SVC_CHANGES_KEEP_ALIVE: '100ms' })
/** It looks for nothing that it is not told of. */
const woken = await servers.start({}, { changesPollMs: 3_600_000 })

/** As sync-worker does it. */
const change = (on: Db | Tx, account: string, key: string) => insert(on, { account, key })
const insert = (on: Db | Tx, values: { account: string; key: string; payload?: string }) =>
  on
    .insertInto('accountChanges')
    .values({ type: 'state', ...values })
    .execute()

/** A transaction that stays open until it is told. */
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
      end.reject(new Error('given up'))
      await done
    },
  }
}

test('a stream begins with the version and an id, and tells changes as they come', async () => {
  const stream = await follow(one.url)
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(stream.headers.get('x-accel-buffering')).toBe('no')
  await eventually(() => expect(stream.lastId).toMatch(/^\d+-0$/))
  expect(stream.comments[0]).toMatch(/^: Posthorn v\d+\.\d+\.\d+$/)

  await change(db, 'a', 'connecting')
  const error = { response: 'away', serverResponseCode: 'X' }
  await insert(db, { account: 'a', key: 'connectError', payload: JSON.stringify({ error }) })
  await stream.expect(2)
  expect(stream.frames).toEqual([
    {
      id: expect.stringMatching(/^\d+-\d+$/),
      event: 'message',
      data: { account: 'a', type: 'state', key: 'connecting', payload: null },
    },
    {
      id: expect.stringMatching(/^\d+-\d+$/),
      event: 'message',
      data: {
        account: 'a',
        type: 'state',
        key: 'connectError',
        payload: { error },
      },
    },
  ])
  await stream.stop()
})

test('a change is told when its writer says so, and soon after when nobody does', async () => {
  const looks = await follow(one.url)
  await change(db, 'slow', 'unsaid')
  await looks.expect(1)
  await looks.stop()
  const stream = await follow(woken.url)
  await eventually(() => expect(stream.lastId).toBeDefined())
  for (let n = 1; n <= 6; n++) {
    await change(db, 'quick', String(n))
    await bus.invalidate({ topic: 'changes' })
    await stream.expect(n)
  }
  await stream.stop()
})

test('who was away goes on at another replica: nothing is missing, nothing is told twice', async () => {
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

test('who heard nothing at all goes on from where the stream began', async () => {
  const first = await follow(one.url)
  await eventually(() => expect(first.lastId).toBeDefined())
  await first.stop()
  await change(db, 'silence', 'broken')
  const second = await follow(other.url, { after: first.lastId })
  expect(await second.expect(1)).toEqual(['silence broken'])
  await second.stop()
})

test('a change that is committed late is not passed over, whoever comes when', async () => {
  const early = await follow(one.url)
  const late = await openTransaction((tx) => change(tx, 'late', 'has the smaller id'))
  await change(db, 'quick', 'has the larger id')
  // Comes while the first one is still open, and sees what is committed by now.
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

test('what was rolled back is never told, and holds nothing up', async () => {
  const stream = await follow(one.url)
  const never = await openTransaction((tx) => change(tx, 'never', 'was'))
  await change(db, 'then', 'was')
  await never.rollback()
  expect(await stream.expect(1)).toEqual(['then was'])
  await stream.stop()
})

test('many writers that commit in any order, readers that come and go at both replicas: each change once, all in one order', async () => {
  const heard: string[] = []
  let done = false
  const start = await follow(one.url)
  await eventually(() => expect(start.lastId).toBeDefined())
  await start.stop()

  const reader = (async () => {
    let after = start.lastId
    for (let round = 0; heard.length < 240; round++) {
      const stream: Following = await follow((round % 2 ? one : other).url, { after })
      await eventually(() => {
        if (stream.changes().length === 0 && !done) throw new Error('nothing yet')
      })
      if (done) await stream.expect(240 - heard.length)
      await stream.stop()
      heard.push(...stream.changes())
      after = stream.lastId
    }
  })()
  const writer = async (name: number) => {
    for (let n = 0; n < 40; n++)
      await db.transaction().execute(async (tx) => {
        await change(tx, `w${name}`, String(n))
        // Holds the transaction open for about as long as a few others take.
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
  expect(heard).toEqual(rows.map(({ name }) => name))
  expect(heard).toHaveLength(240)
})

test('where history is lost it is said once, and what is still kept follows', async () => {
  const first = await follow(one.url)
  await change(db, 'h', '1')
  await first.expect(1)
  await first.stop()
  await change(db, 'h', '2')
  await change(db, 'h', '3')
  const second = await follow(one.url, { after: first.lastId })
  await second.expect(2)
  await second.stop()
  // As retention does it.
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
  // Whoever had got as far has lost nothing.
  const there = await follow(other.url, { after: `${xid}-${id}` })
  expect(await there.expect(1)).toEqual(['h 3'])
  expect(there.frames.map(({ event }) => event)).toEqual(['message'])
  await there.stop()
})

test('an id of another server, which is ahead of this one, is a lost history as well', async () => {
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

test('an id that is none is refused; an empty one is none', async () => {
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

test('the header, which clients renew, wins over the address, which they keep', async () => {
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

test('a token bound to an account cannot follow, one for events alone can', async () => {
  await one.call('POST', '/v1/account', { body: registration('mine') })
  const bound = await follow(one.url, { token: await mint(one.call, { account: 'mine' }) })
  expect(bound.status).toBe(403)
  const permissions = { actions: ['read'], groups: ['events'] }
  const events = await follow(one.url, { token: await mint(one.call, { permissions }) })
  expect(events.status).toBe(200)
  await events.stop()
})

test('a stream ends when its token is revoked, with or without a word, or has expired; others go on', async () => {
  const expires = new Date(Date.now() + 86_400_000).toISOString()
  const expiring = await mint(one.call, { expires })
  const [told, untold] = [await mint(one.call, {}), await mint(one.call, {})]
  const streams = [
    await follow(other.url, { token: told }),
    await follow(other.url, { token: untold }),
    await follow(other.url, { token: expiring }),
  ]
  const stays = await follow(other.url)
  await one.call('DELETE', `/v1/tokens/${told}`)
  await db.deleteFrom('tokens').where('id', '=', hashToken(untold)).execute()
  const ended = { expiresAt: new Date(Date.now() - 1) }
  await db.updateTable('tokens').set(ended).where('id', '=', hashToken(expiring)).execute()
  await Promise.all(streams.map(({ ended }) => ended))
  await change(db, 'stays', 'connected')
  expect(await stays.expect(1)).toEqual(['stays connected'])
  await stays.stop()
})

test('whoever asks for the head alone gets it, and no stream', async () => {
  const client = await RawClient.open(Number(new URL(one.url).port))
  client.send(`HEAD /v1/changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${admin}\r\n\r\n`)
  expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 200 [^]*text\/event-stream[^]*\r\n\r\n$/)
  client.close()
})

test('silence is broken by comments', async () => {
  const stream = await follow(other.url)
  await eventually(() =>
    expect(stream.comments.filter((line) => line === ': keep-alive').length).toBeGreaterThan(1),
  )
  expect(stream.frames).toEqual([])
  await stream.stop()
})

test('a gateway that stops ends its streams, and waits for nothing else', async () => {
  const gateway = await servers.start()
  const stream = await follow(gateway.url)
  await gateway[Symbol.asyncDispose]()
  await stream.ended
})

test('a client that does not read is cut off before it fills the memory, and finds all when it comes back', async () => {
  const reads = await follow(one.url)
  await eventually(() => expect(reads.lastId).toBeDefined())
  const socket = connect(Number(new URL(one.url).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes))
  const closed = once(socket, 'close')
  // Without chunks in between.
  socket.write(`GET /v1/changes HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${admin}\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  await eventually(async () => expect(await clientsOf(one.url)).toBe(2))

  // More than fits into the buffers of the system and ours, in pieces that fit: whoever reads keeps up, however busy the machine is.
  const count = 2_400
  for (let told = 0; told < count; told += 40) {
    await sql`
      insert into account_changes (account, type, key, payload)
      select 'big', 'state', n::text, jsonb_build_object('error', jsonb_build_object('response', repeat('x', 9000)))
      from generate_series(${told + 1}::integer, ${told + 40}::integer) n
    `.execute(db)
    await bus.invalidate({ topic: 'changes' })
    await eventually(() => expect(reads.frames.length).toBeGreaterThanOrEqual(told + 40))
  }
  await eventually(async () => expect(await clientsOf(one.url)).toBe(1))
  await reads.stop()

  socket.resume()
  await closed
  const whole = Buffer.concat(received).toString().split('\n\n').slice(0, -1)
  const told = whole.flatMap((frame) => /"account":"big".*"key":"(\d+)"/.exec(frame)?.[1] ?? [])
  const after = whole.flatMap((frame) => /^id: (.*)$/m.exec(frame)?.[1] ?? []).at(-1)
  expect(told.length).toBeLessThan(count)
  const back = await follow(other.url, { after })
  const rest = await back.expect(count - told.length)
  expect([...told.map((key) => `big ${key}`), ...rest]).toEqual(reads.changes())
  await back.stop()
})

async function clientsOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^posthorn_changes_clients\{[^}]*\} (\d+)/m.exec(metrics)?.[1])
}

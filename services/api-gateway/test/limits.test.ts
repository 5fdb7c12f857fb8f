import { afterAll, afterEach, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import { operations } from '@posthorn/contracts/operations'
import { sendingWorld } from './sending-world.ts'

// Limits of API requests that a client may reach: the largest accepted value and the first rejected
// value.

const world = await sendingWorld()
const { call, db, queued, rows, servers, submit } = world
const bus = await servers.connectBus()
const changed: string[] = []
await bus.serve({
  queue: 'outbox',
  keys: ['outbox'],
  handlers: [
    on(changeOutbox, async ({ queueId }) => {
      changed.push(queueId)
      return { result: 'done' as const }
    }),
  ],
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await world.stop()
})
afterEach(async () => {
  await db.deleteFrom('outbox').execute()
  changed.length = 0
})

/** Expected error body for a request field whose value is beyond its limit. */
function invalid(path: string, reason: string) {
  const message = `"${path}" ${reason}`
  const fields = [{ path, key: path.split('.').at(-1), message }]
  return { statusCode: 400, error: 'Bad Request', message, fields }
}

const longest = 'q'.repeat(256)
const { getOutboxEntry, deleteOutboxEntry, holdOutboxEntry, releaseOutboxEntry, sendOutboxEntry } =
  operations
const outboxOperations = [
  getOutboxEntry,
  deleteOutboxEntry,
  holdOutboxEntry,
  releaseOutboxEntry,
  sendOutboxEntry,
].map((operation) => [operation.id, operation] as const)

test.each(outboxOperations)('%s: queueId has up to 256 characters', async (_id, operation) => {
  const { method, path } = operation
  const to = (queueId: string) => call(method.toUpperCase(), path.replace(':queueId', queueId))
  await db
    .insertInto('outbox')
    .values({
      queueId: longest,
      account: 'me',
      shard: 0,
      source: 'api',
      messageId: '<x@x>',
      envelope: JSON.stringify({ from: 'a@x', to: ['b@x'] }),
    })
    .execute()
  expect(await to(longest)).toMatchObject({ status: 200 })
  expect(changed).toEqual(method === 'get' ? [] : [longest])
  const { status, body } = await to(`${longest}q`)
  expect([status, body]).toEqual([
    400,
    invalid('queueId', 'must NOT have more than 256 characters'),
  ])
  expect(changed).toEqual(method === 'get' ? [] : [longest])
})

const to = [{ address: 'ada@elsewhere.example' }]
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Number-${index}`, `${index}`]))
const values = (count: number) => Array.from({ length: count }, (_, index) => `value ${index}`)

test.each<[string, (count: number) => object, string, string]>([
  ['headers', many, 'headers', 'must not have more than 1000 members'],
  [
    'values of a header',
    (count) => ({ 'X-Many': values(count) }),
    'headers.X-Many',
    'must NOT have more than 1000 items',
  ],
])('submitMessage: a message has up to 1,000 %s', async (...row) => {
  const [, headersOf, path, reason] = row
  expect(await submit({ to, text: 'x', headers: headersOf(1_000) })).toMatchObject({ status: 200 })
  const { text } = await queued()
  const written = text.split('\r\n\r\n', 1)[0]?.match(/^X-(?:Number-\d+|Many): /gm)
  expect(written).toHaveLength(1_000)
  const { status, body } = await submit({ to, text: 'x', headers: headersOf(1_001) })
  expect([status, body]).toEqual([400, invalid(path, reason)])
  expect(await rows()).toEqual([])
})

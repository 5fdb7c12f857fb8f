import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

const events = (account: string) =>
  db
    .selectFrom('events')
    .select(['event', 'body', 'publishedAt'])
    .where('account', '=', account)
    .orderBy('id')
    .execute()

test('deleteAccount: waiting submissions end with messageFailed before accountDeleted', async () => {
  for (const account of ['ending', 'staying'])
    await call('POST', '/v1/account', { body: registration(account) })
  const submission = (queueId: string, more: object = {}) => ({
    queueId,
    account: 'ending',
    shard: 0,
    source: 'api' as const,
    messageId: `<${queueId}@x.example>`,
    envelope: JSON.stringify({ from: 'ending@mail.example', to: ['you@x.example'] }),
    sendAt: new Date('2100-01-01'),
    ...more,
  })
  const many = Array.from({ length: 1_100 }, (_, n) => submission(`later-${n}`))
  await db
    .insertInto('outbox')
    .values([
      submission('waits'),
      submission('is-held', { state: 'held' }),
      submission('failed-once', { attempts: 1, firstError: 'mailbox busy\nsecond line' }),
      submission('unknown-outcome', { attempts: 1, dataSentAt: new Date() }),
      submission('was-sent', { state: 'sent' }),
      submission('has-failed', { state: 'failed' }),
      submission('of-another', { account: 'staying' }),
    ])
    .execute()
  for (let at = 0; at < many.length; at += 550)
    await db
      .insertInto('outbox')
      .values(many.slice(at, at + 550))
      .execute()
  expect((await call('DELETE', '/v1/account/ending')).status).toBe(200)
  const recorded = await events('ending')
  expect(recorded[0]?.event).toBe('accountAdded')
  expect(recorded.at(-1)?.event).toBe('accountDeleted')
  const failed = recorded.slice(1, -1)
  expect(new Set(failed.map(({ event }) => event))).toEqual(new Set(['messageFailed']))
  const errors = new Map(
    failed.map(({ body }) => {
      const { data } = JSON.parse(body) as {
        data: Record<'queueId' | 'messageId' | 'error', string>
      }
      expect(data.messageId).toBe(`<${data.queueId}@x.example>`)
      return [data.queueId, data.error]
    }),
  )
  expect([failed.length, errors.size]).toEqual([1_104, 1_104])
  const named = ['waits', 'is-held', 'failed-once', 'unknown-outcome', 'later-1099']
  expect(named.map((queueId) => errors.get(queueId))).toEqual([
    'The account was deleted before the message was sent',
    'The account was deleted before the message was sent',
    'mailbox busy',
    expect.stringContaining('may have been delivered'),
    'The account was deleted before the message was sent',
  ])
  const left = await db.selectFrom('outbox').select('queueId').execute()
  expect(left).toEqual([{ queueId: 'of-another' }])
  await eventually(async () =>
    expect((await events('ending')).every(({ publishedAt }) => publishedAt !== null)).toBe(true),
  )
})

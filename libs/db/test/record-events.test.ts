import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { recordEvents } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'

const database = await testDatabase()
afterAll(() => database.drop())

const newEvent = (data: unknown) => ({
  eventId: randomUUID(),
  event: 'messageNew',
  account: 'a1',
  data,
})
const dataOf = ({ body }: { body: string }) => (JSON.parse(body) as { data: unknown }).data

test.each([
  ['a NUL', '\0', ''],
  ['NULs at both ends and in sequence', '\0a\0\0b\0', 'ab'],
  ['a NUL after a backslash', '\\\0', '\\'],
  ['a NUL after two backslashes', '\\\\\0a', '\\\\a'],
  ['the text u0000', 'u0000', 'u0000'],
  ['the text u0000 after a backslash', String.raw`\u0000`, String.raw`\u0000`],
  ['the text u0000 after two backslashes', String.raw`\\u0000`, String.raw`\\u0000`],
  ['many backslashes before a NUL', `${'\\'.repeat(99_999)}\0`, '\\'.repeat(99_999)],
])('recordEvents: %s in data', async (_what, subject, stored) => {
  const events = [newEvent({ subject, [`key of ${subject.slice(0, 3)}`]: 1 })]
  const [recorded] = await database.db.transaction().execute((tx) => recordEvents(tx, events, null))
  const row = await database.db
    .selectFrom('events')
    .select(['body'])
    .where('eventId', '=', recorded?.eventId ?? '')
    .executeTakeFirstOrThrow()
  expect(row.body).toBe(recorded?.body)
  expect(dataOf(row)).toHaveProperty('subject', stored)
  expect(row.body).not.toMatch(/(?<!\\)(?:\\\\)*\\u0000/)
})

test('recordEvents: large events keep their order and their data', async () => {
  const text = '"\\\n'.repeat(60_000)
  const events = Array.from({ length: 8 }, (_, uid) => newEvent({ uid, text: { plain: text } }))
  const recorded = await database.db.transaction().execute((tx) => recordEvents(tx, events, null))
  expect(recorded.map(dataOf)).toEqual(events.map(({ data }) => data))
  const rows = await database.db
    .selectFrom('events')
    .select(['eventId', 'body'])
    .where(
      'eventId',
      'in',
      events.map(({ eventId }) => eventId),
    )
    .orderBy('id')
    .execute()
  expect(rows).toEqual(recorded.map(({ eventId, body }) => ({ eventId, body })))
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { messageNew } from '@posthorn/contracts/events/message'
import { matches } from '@posthorn/contracts/validate'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
  const on = { notifyCalendarEvents: true, notifyWebSafeHtml: true }
  for (const [key, value] of Object.entries(on))
    await world.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  await world.startWorker()
})
afterAll(() => world.close())

const invitation = (uid: string) => calendarOf(entry(uid))

const calendarOf = (entries: string) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REQUEST', entries, 'END:VCALENDAR', ''].join('\r\n')

const entry = (uid: string, ...more: string[]) =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'SUMMARY:Übergabe',
    'ORGANIZER:mailto:ann@example.com',
    'DTSTART;TZID=Europe/Berlin:20260703T153000',
    'DURATION:PT1H',
    ...more,
    'END:VEVENT',
  ].join('\r\n')

const part = (type: string, content: string, ...headers: string[]) =>
  [
    '--b',
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    ...headers,
    '',
    Buffer.from(content).toString('base64'),
  ].join('\r\n')

/** Delivers a message with some MIME parts. Returns the data of its `messageNew` event. */
async function eventOf(...parts: string[]) {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const headers = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b']
  await world.dovecot.deliver(user.user, mail({ headers, body: [...parts, '--b--'].join('\r\n') }))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  return event
}

test('calendarEvents: an invitation once per message', async () => {
  const event = await eventOf(
    part('text/html; charset=utf-8', '<p onclick="alert(1)">Come<script>x</script></p>'),
    part('application/ics; name=invite.ics', invitation('one@example.com')),
    part('text/calendar; charset=utf-8; method=REQUEST', invitation('one@example.com')),
    part('text/calendar', 'no calendar'),
  )
  expect(matches(messageNew.data, event?.data)).toBe(true)
  expect(event?.data['calendarEvents']).toEqual([
    {
      eventId: 'one@example.com',
      attachment: expect.stringMatching(/^\S+$/),
      method: 'REQUEST',
      summary: 'Übergabe',
      organizer: 'mailto:ann@example.com',
      timezone: 'Europe/Berlin',
      startDate: '2026-07-03T13:30:00.000Z',
      endDate: '2026-07-03T14:30:00.000Z',
      filename: 'invite.ics',
      contentType: 'text/calendar',
      encoding: 'base64',
      content: Buffer.from(invitation('one@example.com')).toString('base64'),
    },
  ])
  expect(event?.data['text']).toMatchObject({ webSafe: true, html: '<p>Come</p>' })
})

const list = <T>(length: number, one: (at: number) => T) =>
  Array.from({ length }, (_, at) => one(at))

test('calendarEvents: of a part with many entries, the first one has the content', async () => {
  const calendar = calendarOf(list(20, (at) => entry(`${at}@example.com`)).join('\r\n'))
  const event = await eventOf(part('text/calendar; charset=utf-8', calendar))
  const events = event?.data['calendarEvents'] as Record<string, unknown>[]
  const [first, ...others] = events
  expect(first).toMatchObject({ eventId: '0@example.com', encoding: 'base64' })
  expect(Buffer.from(String(first?.['content']), 'base64').toString()).toBe(calendar)
  expect(others).toHaveLength(19)
  for (const other of others) expect(other).not.toHaveProperty('content')
  expect(event?.data).not.toHaveProperty('truncated')
})

const zones = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    [
      'BEGIN:VTIMEZONE',
      `TZID:Zone ${at}`,
      'BEGIN:STANDARD',
      'DTSTART:19700101T000000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0100',
      'END:STANDARD',
      'END:VTIMEZONE',
    ].join('\r\n'),
  ).join('\r\n')
const folded = `RRULE:FREQ=YEARLY;BYMONTH=${'1,\r\n '.repeat(110_000)}1`
const small = part('text/calendar', invitation('small@example.com'))

test.each([
  ['3,000 time zones', part('text/calendar', calendarOf(`${zones(3_000)}\r\n${entry('a')}`))],
  ['more than 512 KiB of a folded rule', part('text/calendar', calendarOf(entry('a', folded)))],
  ['more than 1 MiB', part('text/calendar', calendarOf(entry('a', folded, folded, folded)))],
])('calendarEvents: a part with %s is left out and marked', async (_name, large) => {
  const alone = await eventOf(large)
  expect(matches(messageNew.data, alone?.data)).toBe(true)
  expect(alone?.data).not.toHaveProperty('calendarEvents')
  expect(alone?.data).toMatchObject({ truncated: ['calendarEvents'] })
  const beside = await eventOf(large, small)
  expect(beside?.data).toMatchObject({
    calendarEvents: [{ eventId: 'small@example.com' }],
    truncated: ['calendarEvents'],
  })
})

test('calendarEvents: 101 entries of a part, the last is left out and marked', async () => {
  const entries = Array.from({ length: 101 }, (_, at) => entry(`${at}@example.com`))
  const event = await eventOf(part('text/calendar', calendarOf(entries.join('\r\n'))))
  expect(event?.data['calendarEvents']).toHaveLength(100)
  expect(event?.data).toMatchObject({ truncated: ['calendarEvents'] })
})

test('calendarEvents: 2 MB in ten parts of 100 entries make an event of at most 1 MiB', async () => {
  const parts = list(10, (number) => {
    const more = `DESCRIPTION:${'x'.repeat(1_900)}`
    const entries = list(100, (at) => entry(`${number}-${at}@example.com`, more))
    return part('text/calendar; charset=utf-8', calendarOf(entries.join('\r\n')))
  })
  const event = await eventOf(...parts)
  expect(matches(messageNew.data, event?.data)).toBe(true)
  const events = event?.data['calendarEvents'] as Record<string, unknown>[]
  expect(events).toHaveLength(100)
  expect(events.filter(({ content }) => content !== undefined)).toHaveLength(1)
  expect(event?.data['truncated']).toEqual(['calendarEvents'])
  expect(JSON.stringify(event?.data).length).toBeLessThanOrEqual(1_048_576)
})

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

const invitation = (uid: string) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'SUMMARY:Übergabe',
    'ORGANIZER:mailto:ann@example.com',
    'DTSTART;TZID=Europe/Berlin:20260703T153000',
    'DURATION:PT1H',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
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

test('calendarEvents: an invitation once per message', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(
    user.user,
    mail({
      headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
      body: [
        part('text/html; charset=utf-8', '<p onclick="alert(1)">Come<script>x</script></p>'),
        part('application/ics; name=invite.ics', invitation('one@example.com')),
        part('text/calendar; charset=utf-8; method=REQUEST', invitation('one@example.com')),
        part('text/calendar', 'no calendar'),
        '--b--',
      ].join('\r\n'),
    }),
  )
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
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

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { CreateMailApi, MailApiUse } from '@posthorn/backends/mail-api'
import type { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { MailApiModel } from '@posthorn/testkit/mail-api-model'
import { type ApiWorld, apiWorld, mime } from './api-world.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await apiWorld()
  await world.startApiWorker()
})
afterAll(() => world.close())

const setSettings = async (settings: Record<string, unknown>): Promise<void> => {
  for (const [key, value] of Object.entries(settings))
    await world.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) } as never)
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({ value: JSON.stringify(value) } as never),
      )
      .execute()
  await world.bus.invalidate({ topic: 'settings' })
}

const invitation = [
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:event-1',
  'DTSTART:20270101T100000Z',
  'SUMMARY:Lunch',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n')

const withInvitation = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b"',
  'X-Test: yes',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p onclick="x()">Hello</p>',
  '--b',
  'Content-Type: text/calendar; name="invite.ics"; method=REQUEST',
  '',
  invitation,
  '--b--',
  '',
]

test('messageNew: texts, attachments, headers and calendar events that the settings request', async () => {
  await setSettings({
    notifyText: true,
    notifyWebSafeHtml: true,
    notifyAttachments: true,
    notifyCalendarEvents: true,
    notifyHeaders: ['X-Test'],
  })
  const { account, model } = await world.registerApi('labels')
  await world.connected(account)
  model.deliver(mime('invitation', withInvitation))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({
    subject: 'invitation',
    headers: { 'x-test': ['yes'] },
    text: { html: expect.stringContaining('Hello'), webSafe: true },
    attachments: [
      {
        filename: 'invite.ics',
        contentType: 'text/calendar',
        content: Buffer.from(invitation).toString('base64'),
      },
    ],
    calendarEvents: [{ eventId: 'event-1', method: 'REQUEST' }],
  })
  expect(JSON.stringify(event?.data['text'])).not.toContain('onclick')
})

test('notifyAttachmentList: messageNew lists the attachments without contents', async () => {
  await setSettings({ notifyAttachments: false, notifyAttachmentList: true })
  const { account, model } = await world.registerApi('labels')
  await world.connected(account)
  const [attachment] = await eventually(async () => {
    model.deliver(mime('invitation', withInvitation))
    const events = await world.expectEvents(account, ['messageNew'], 1)
    // Changed settings for `messageNew` events may apply only after some messages.
    const lists = events.flatMap(({ data }) => (data['attachments'] as object[] | undefined) ?? [])
    expect(lists.filter((each) => !('content' in each))).not.toEqual([])
    return lists.filter((each) => !('content' in each))
  })
  expect(attachment).toMatchObject({ filename: 'invite.ics', contentType: 'text/calendar' })
})

test('clients: the first pass yields to later ones, and callers have the rest of their time', async () => {
  await world.reset()
  const uses: MailApiUse[] = []
  const model = new MailApiModel({ placement: 'labels', now: () => new Date() })
  const limiters: ProviderLimiter[] = []
  await world.startApiWorker(
    { apiPollMs: 3_600_000 },
    {
      createMailApis: (_stack, { limiter }) => {
        limiters.push(limiter)
        return {
          gmail: (_access, use) => {
            uses.push(use)
            return model.api
          },
        }
      },
    },
  )
  const account = world.newId()
  await world.insertAccount(account, 'labels')
  await world.connected(account)
  expect(limiters).toHaveLength(1)
  const priorities = () => uses.map(({ priority }) => priority)
  expect(priorities().filter((priority) => priority !== 'caller')).toEqual(['sync', 'initial-sync'])
  await world.ask(syncAccount, account, {})
  await eventually(() => expect(priorities().at(-1)).toBe('sync'))
  const request = { account, path: 'INBOX', page: 0, pageSize: 1 }
  const key = `shard.${shardOf(account)}`
  await world.bus.request(listMessages, request, { key, timeoutMs: 600_000 })
  const { timeoutMs = 0 } = uses.findLast(({ priority }) => priority === 'caller') ?? {}
  expect(timeoutMs).toBeGreaterThan(300_000)
  expect(timeoutMs).toBeLessThanOrEqual(600_000)
})

test('protocol log: of the requests of an account with logs, and of no other', async () => {
  await world.reset()
  const model = new MailApiModel({ placement: 'labels', now: () => new Date() })
  const logged = new Set<string>()
  const createClient: CreateMailApi = ({ account }, { openLog }) => {
    if (openLog) logged.add(account)
    openLog?.()({ at: new Date(), from: 'client', text: 'GET /profile' })
    return model.api
  }
  await world.startApiWorker({}, { createMailApis: () => ({ gmail: createClient }) })
  const [account, silent] = [world.newId(), world.newId()]
  for (const each of [account, silent]) await world.insertAccount(each, 'labels')
  await Promise.all([world.connected(account), world.connected(silent)])
  expect([...logged]).toEqual([])
  await world.db
    .updateTable('accounts')
    .set({ logs: true })
    .where('account', '=', account)
    .execute()
  await world.touch(account)
  await eventually(async () => {
    const lines = await world.db
      .selectFrom('accountLogs')
      .select(['account', 'line'])
      .where('account', 'in', [account, silent])
      .execute()
    expect(lines).toContainEqual({
      account,
      line: expect.stringMatching(/ \[\d+\] C: GET \/profile$/),
    })
  })
  expect([...logged]).toEqual([account])
})

test('an account whose provider has no client gets no session', async () => {
  await world.reset()
  const { api } = new MailApiModel({ placement: 'folder', now: () => new Date() })
  const [account, served] = [world.newId(), world.newId()]
  await world.insertAccount(account, 'labels')
  await world.insertAccount(served, 'folder')
  // The worker starts the sessions of both accounts together: once one account is connected, the
  // account without a mail API client would have a session, too.
  await world.startApiWorker({}, { createMailApis: () => ({ graph: () => api }) })
  await world.connected(served)
  const listing = world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 })
  await expect(listing).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
})

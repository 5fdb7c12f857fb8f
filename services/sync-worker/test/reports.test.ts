import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { messageNew } from '@posthorn/contracts/events/message'
import { messageBounce, messageComplaint } from '@posthorn/contracts/events/reports'
import { shardOf } from '@posthorn/contracts/shards'
import { matches } from '@posthorn/contracts/validate'
import { ImapClient } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterAll(() => world.close())

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`
const original = [
  'Message-ID: <sent@sender.example>',
  'From: me@sender.example',
  'To: you@there.example',
  'Subject: Hello',
  '',
  'Hi',
]

const report = (type: string, fields: string[], more: string[] = []) =>
  lines(
    `Message-ID: <${randomUUID()}@mx.example>`,
    'From: Mail Delivery System <MAILER-DAEMON@mx.example>',
    'To: me@sender.example',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type}; boundary="b"`,
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See below.',
    '--b',
    `Content-Type: message/${type}`,
    '',
    ...fields,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...original,
    ...more,
    '--b--',
  )

const bounce = (...more: string[]) =>
  report(
    'delivery-status',
    [
      'Reporting-MTA: dns; mx.example',
      '',
      'Final-Recipient: rfc822; you@there.example',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
      '',
      'Final-Recipient: rfc822; full@there.example',
      'Action: delayed',
      'Status: 4.2.2',
      'Diagnostic-Code: smtp; 452 4.2.2 Mailbox full',
    ],
    more,
  )

async function someone() {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  return { user, account }
}

/** Sent message in the outbox to which the reports, such as bounces, refer. */
async function sent(account: string, to = 'you@there.example'): Promise<string> {
  const queueId = randomUUID()
  await world.db
    .insertInto('outbox')
    .values({
      queueId,
      account,
      shard: shardOf(account),
      source: 'api',
      state: 'sent',
      messageId: '<sent@sender.example>',
      envelope: JSON.stringify({ from: 'me@sender.example', to: [to] }),
      finishedAt: new Date(),
    })
    .execute()
  return queueId
}

test('messageBounce: one per recipient, and bounces of the undelivered message', async () => {
  const { user, account } = await someone()
  await using client = await ImapClient.login(user)
  await client.append('INBOX', lines(...original))
  const queueId = await sent(account)
  // Another account has sent a message with the same Message-ID. The events must not have the queue
  // id of that message.
  await sent(await world.register(world.dovecot.freshUser()))
  await world.expectEvents(account, ['messageNew'], 1)
  await world.dovecot.deliver(user.user, bounce())
  const bounces = await world.expectEvents(account, ['messageBounce'], 2)
  expect(bounces.every(({ data }) => matches(messageBounce.data, data))).toBe(true)
  const [, received] = await world.expectEvents(account, ['messageNew'], 2)
  expect(matches(messageNew.data, received?.data)).toBe(true)
  expect(received?.data).toMatchObject({
    isBounce: true,
    relatedMessageId: '<sent@sender.example>',
  })
  expect(bounces.map(({ data }) => data)).toMatchObject([
    {
      bounceMessage: received?.data['id'],
      recipient: 'you@there.example',
      action: 'failed',
      response: { status: '5.1.1', category: 'user_unknown', recommendedAction: 'remove' },
      queueId,
      messageId: '<sent@sender.example>',
      messageHeaders: { subject: ['Hello'] },
    },
    {
      recipient: 'full@there.example',
      action: 'delayed',
      queueId,
      response: { category: 'mailbox_full' },
    },
  ])
  expect(bounces.map(({ path, specialUse }) => [path, specialUse])).toEqual([
    ['INBOX', '\\Inbox'],
    ['INBOX', '\\Inbox'],
  ])
  const { messages } = await world.ask(listMessages, account, {
    path: 'INBOX',
    page: 0,
    pageSize: 20,
  })
  const kept = messages.find(({ messageId }) => messageId === '<sent@sender.example>')
  const shown = [
    { message: received?.data['id'], recipient: 'full@there.example', action: 'delayed' },
    { message: received?.data['id'], recipient: 'you@there.example', action: 'failed' },
  ]
  const byRecipient = (a: { recipient: string }, b: { recipient: string }) =>
    a.recipient.localeCompare(b.recipient)
  expect(kept?.bounces?.toSorted(byRecipient)).toMatchObject(shown)
  const detail = await world.ask(getMessage, account, { message: kept?.id ?? '' })
  expect(detail.bounces?.toSorted(byRecipient)).toMatchObject(shown)
})

test("messageBounce: bounces of many recipients share the size of the original's headers", async () => {
  const { user, account } = await someone()
  const recipients = Array.from({ length: 200 }, (_, at) => [
    `Final-Recipient: rfc822; you-${at}@there.example`,
    'Action: failed',
    'Status: 5.1.1',
    '',
  ])
  const large = `X-Large: ${`${'x'.repeat(900)}\r\n `.repeat(200)}`
  const source = report('delivery-status', [
    'Reporting-MTA: dns; mx.example',
    '',
    ...recipients.flat(),
  ])
  await world.dovecot.deliver(
    user.user,
    source.replace('Subject: Hello', `Subject: Hello\r\n${large}`),
  )
  const bounces = await world.expectEvents(account, ['messageBounce'], 200)
  const bytes = bounces.map(({ data }) => JSON.stringify(data['messageHeaders']).length)
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(4 * 1024 * 1024)
  expect(bounces[0]?.data).toMatchObject({
    messageHeaders: { subject: ['Hello'], 'x-large': [expect.stringMatching(/^x{900}/)] },
    truncated: ['messageHeaders'],
  })
})

test('messageBounce: marks the submission of the failed recipient in the same transaction', async () => {
  const { user, account } = await someone()
  const [failed, delayed, other] = [
    await sent(account, 'You@There.example'),
    await sent(account, 'full@there.example'),
    await sent(await world.register(world.dovecot.freshUser())),
  ]
  await world.dovecot.deliver(user.user, bounce())
  await world.expectEvents(account, ['messageBounce'], 2)
  const rows = await world.db.selectFrom('outbox').select(['queueId', 'bouncedAt']).execute()
  const marked = rows.flatMap(({ queueId, bouncedAt }) => (bouncedAt ? queueId : []))
  expect([failed, delayed, other].filter((queueId) => marked.includes(queueId))).toEqual([failed])
  // The bounce report names another address than the outbox, for the only recipient of the message.
  const forwarded = await someone()
  const queueId = await sent(forwarded.account, 'alias@there.example')
  await world.dovecot.deliver(forwarded.user.user, bounce())
  await world.expectEvents(forwarded.account, ['messageBounce'], 2)
  const isMarked = world.db.selectFrom('outbox').where('queueId', '=', queueId)
  expect(await isMarked.select('bouncedAt').executeTakeFirst()).toEqual({
    bouncedAt: expect.any(Date),
  })
})

test('messageBounce: once for a bounce that is moved', async () => {
  const { user, account } = await someone()
  await using client = await ImapClient.login(user)
  await world.dovecot.deliver(user.user, bounce())
  const received = await world.expectEvents(account, ['messageBounce'], 2)
  expect(received[0]?.data).not.toHaveProperty('queueId')
  await client.run('SELECT INBOX')
  await client.run('MOVE 1 "Junk"')
  await world.expectEvents(account, ['messageNew'], 2)
  expect(await world.events(account, 'messageBounce')).toHaveLength(2)
})

test('deliveryReport: success is no bounce; large reports are read', async () => {
  const { user, account } = await someone()
  const status = report(
    'delivery-status',
    [
      'Reporting-MTA: dns; mx.example',
      '',
      'Final-Recipient: rfc822; you@there.example',
      'Action: relayed',
      'Status: 2.0.0',
    ],
    Array.from({ length: 40_000 }, () => 'x'.repeat(70)),
  )
  await world.dovecot.deliver(user.user, status)
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({
    deliveryReport: { action: 'relayed', finalRecipient: 'you@there.example' },
  })
  expect(event?.data).not.toHaveProperty('isBounce')
  expect(await world.events(account, 'messageBounce')).toEqual([])
})

test('messageComplaint: has the message it is about', async () => {
  const { user, account } = await someone()
  await world.dovecot.deliver(
    user.user,
    report('feedback-report', [
      'Feedback-Type: abuse',
      'User-Agent: Loop/1.0',
      'Original-Rcpt-To: you@there.example',
    ]),
  )
  const [complaint] = await world.expectEvents(account, ['messageComplaint'], 1)
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(matches(messageComplaint.data, complaint?.data)).toBe(true)
  expect(complaint?.data).toMatchObject({
    complaintMessage: event?.data['id'],
    arf: { feedbackType: 'abuse', originalRcptTo: ['you@there.example'] },
    headers: { messageId: '<sent@sender.example>', subject: 'Hello' },
  })
  expect(event?.data).toMatchObject({
    isComplaint: true,
    relatedMessageId: '<sent@sender.example>',
  })
})

const complaintAbout = (to: string, messageId = '<sent@sender.example>') =>
  report('feedback-report', ['Feedback-Type: abuse', 'User-Agent: Loop/1.0'])
    .replace('To: you@there.example', `To: ${to}`)
    .replace('<sent@sender.example>', messageId)

test.each([
  ['the original message', 'You <you@there.example>'],
  ['the outbox', 'undisclosed-recipients:;'],
])('messageComplaint: without Original-Rcpt-To, has the recipient of %s', async (_, to) => {
  const { user, account } = await someone()
  await sent(account)
  await world.dovecot.deliver(user.user, complaintAbout(to))
  const [complaint] = await world.expectEvents(account, ['messageComplaint'], 1)
  expect(matches(messageComplaint.data, complaint?.data)).toBe(true)
  expect(complaint?.data).toMatchObject({ arf: { originalRcptTo: ['you@there.example'] } })
})

test('messageComplaint: about a message to several recipients, has none of them', async () => {
  const { user, account } = await someone()
  await sent(account)
  await world.dovecot.deliver(user.user, complaintAbout('you@there.example, two@there.example'))
  const [complaint] = await world.expectEvents(account, ['messageComplaint'], 1)
  expect(complaint?.data).toMatchObject({ arf: { originalRcptTo: [] } })
})

test('messageComplaint: about a message without a known recipient, has none', async () => {
  const { user, account } = await someone()
  await world.dovecot.deliver(user.user, complaintAbout('list:;', '<other@sender.example>'))
  const [complaint] = await world.expectEvents(account, ['messageComplaint'], 1)
  expect(complaint?.data).toMatchObject({
    arf: { feedbackType: 'abuse', originalRcptTo: [] },
    headers: { messageId: '<other@sender.example>' },
  })
})

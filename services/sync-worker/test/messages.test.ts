import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { messageNew } from '@posthorn/contracts/events/message'
import { matches } from '@posthorn/contracts/validate'
import { eventually } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { eventuallyKnown, ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
let worker: WorkerApp
beforeAll(async () => {
  world = await testWorld()
  worker = await world.startWorker()
})
afterAll(() => world.close())

const old = new Date('2020-01-01T00:00:00Z')

test('initialSync: announces nothing older than the account, then accountInitialized', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.append('INBOX', mail({ subject: 'before' }), { date: old })
  await client.append('INBOX', mail({ subject: 'since' }))
  const account = await world.register(user, { notifyFrom: new Date(Date.now() - 60_000) })
  await world.connected(account)

  const events = await world.events(account)
  expect(events.map(({ event }) => event).filter((name) => name !== 'mailboxNew')).toEqual([
    'authenticationSuccess',
    'messageNew',
    'accountInitialized',
  ])
  expect(events.find(({ event }) => event === 'authenticationSuccess')?.data).toEqual({
    user: user.user,
  })
  expect(events.find(({ event }) => event === 'messageNew')?.data).toMatchObject({
    subject: 'since',
  })
  expect(events.find(({ event }) => event === 'mailboxNew')).toMatchObject({
    path: 'INBOX',
    specialUse: '\\Inbox',
    data: {
      path: 'INBOX',
      name: 'INBOX',
      specialUse: '\\Inbox',
      uidValidity: expect.stringMatching(/^\d+$/),
    },
  })
  await eventually(async () => {
    expect((await world.events(account)).every(({ publishedAt }) => publishedAt !== null)).toBe(
      true,
    )
  })
})

test('messageNew: once, with all data of the server', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const boundary = 'b1'
  await world.dovecot.deliver(
    user.user,
    mail({
      subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      headers: [
        'Message-ID: <full@test>',
        'Reply-To: ann@example.com, Carol <carol@example.com>',
        'Cc: Dan <dan@example.com>',
        'Auto-Submitted: auto-replied',
        'MIME-Version: 1.0',
        `Content-Type: multipart/mixed; boundary=${boundary}`,
      ],
      body: [
        `--${boundary}`,
        'Content-Type: multipart/alternative; boundary=b2',
        '',
        '--b2',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Gr=FC=DFe',
        '--b2',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>Grüße</p>',
        '--b2--',
        `--${boundary}`,
        'Content-Type: application/pdf; name=a.pdf',
        'Content-Disposition: attachment; filename=a.pdf',
        'Content-Transfer-Encoding: base64',
        '',
        'aGVsbG8=',
        `--${boundary}--`,
      ].join('\r\n'),
    }),
  )
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({
    id: expect.stringMatching(/^[\w-]{11}$/),
    uid: 1,
    path: 'INBOX',
    date: expect.stringMatching(/Z$/),
    flags: [],
    unseen: true,
    size: expect.any(Number),
    subject: 'Grüße',
    from: { name: 'Ann', address: 'ann@example.com' },
    replyTo: { name: 'Carol', address: 'carol@example.com' },
    to: [{ name: '', address: 'bob@example.com' }],
    cc: [{ name: 'Dan', address: 'dan@example.com' }],
    messageId: '<full@test>',
    messageSpecialUse: '\\Inbox',
    seemsLikeNew: true,
    isAutoReply: true,
    text: {
      id: expect.any(String),
      encodedSize: { plain: expect.any(Number), html: expect.any(Number) },
    },
  })
  expect(event?.data).not.toHaveProperty('attachments')
  expect(event).toMatchObject({ path: 'INBOX', specialUse: '\\Inbox' })
  expect(event?.data).not.toHaveProperty('sender')
  expect(event?.data).not.toHaveProperty('bcc')
  expect(event?.data).not.toHaveProperty('flagged')
  expect(matches(messageNew.data, event?.data)).toBe(true)
})

test('messageNew: text, headers and attachments as configured', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  const settings = {
    notifyText: true,
    notifyTextSize: 10,
    notifyHeaders: ['X-One'],
    notifyAttachments: true,
    notifyAttachmentSize: 5,
  }
  for (const [key, value] of Object.entries(settings))
    await world.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  await world.bus.invalidate({ topic: 'settings' })
  const attached = (name: string, content: string) =>
    [
      '--b',
      `Content-Type: text/x-a; name=${name}`,
      'Content-Disposition: attachment',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(content).toString('base64'),
    ].join('\r\n')
  const [event] = await eventually(async () => {
    await world.dovecot.deliver(
      user.user,
      mail({
        headers: [
          'X-One: 1',
          'X-Two: 2',
          'MIME-Version: 1.0',
          'Content-Type: multipart/mixed; boundary=b',
        ],
        body: [
          '--b',
          'Content-Type: text/plain; charset=utf-8',
          'Content-Transfer-Encoding: 8bit',
          '',
          'äöüäöüäöü',
          attached('small', '12345'),
          attached('large', '123456'),
          '--b--',
        ].join('\r\n'),
      }),
    )
    // Changed settings for `messageNew` events may apply only after some messages.
    const result = await world.expectEvents(account, ['messageNew'], 1)
    const withHeaders = result.filter(({ data }) => 'headers' in data)
    expect(withHeaders).not.toEqual([])
    return withHeaders
  })
  await world.db.deleteFrom('settings').execute()
  await world.bus.invalidate({ topic: 'settings' })
  expect(event?.data['headers']).toEqual({ 'x-one': ['1'] })
  expect(event?.data['text']).toMatchObject({ plain: 'äöüäö', hasMore: true })
  expect(event?.data['attachments']).toEqual([
    {
      id: expect.any(String),
      contentType: expect.any(String),
      encodedSize: expect.any(Number),
      filename: 'small',
      embedded: false,
      inline: false,
      encodedInMessage: true,
      content: Buffer.from('12345').toString('base64'),
    },
  ])
})

test('messageNew: web-safe HTML has embedded images and no scripts', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.db
    .insertInto('settings')
    .values({ key: 'notifyWebSafeHtml', value: 'true' })
    .execute()
  await world.bus.invalidate({ topic: 'settings' })
  const html = await eventually(async () => {
    await world.dovecot.deliver(
      user.user,
      mail({
        headers: ['MIME-Version: 1.0', 'Content-Type: multipart/related; boundary=b'],
        body: [
          '--b',
          'Content-Type: text/html',
          '',
          '<p onclick="x()">hi<img src="cid:pic@x"><script>alert(1)</script></p>',
          '--b',
          'Content-Type: image/png',
          'Content-ID: <pic@x>',
          'Content-Transfer-Encoding: base64',
          '',
          'aGVsbG8=',
          '--b--',
        ].join('\r\n'),
      }),
    )
    const received = await world.expectEvents(account, ['messageNew'], 1)
    const texts = received.map(({ data }) => data['text'] as { html?: string; webSafe?: boolean })
    return texts.find(({ webSafe }) => webSafe)?.html ?? Promise.reject(new Error('not yet'))
  })
  await world.db.deleteFrom('settings').execute()
  await world.bus.invalidate({ topic: 'settings' })
  expect(html).toContain('src="data:image/png;base64,aGVsbG8="')
  expect(html).not.toMatch(/script|onclick|cid:/)
})

test('applyChanges: flags, deletions and moves of another client have events', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await using client = await ImapClient.login(user)
  await client.run('CREATE Filed')
  await client.append('INBOX', mail())
  await client.append('INBOX', mail())
  const [first, second] = await world.expectEvents(account, ['messageNew'], 2)
  await client.run('SELECT INBOX')
  await client.run('UID STORE 1 +FLAGS (\\Seen $Important)')
  const [updated] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(updated?.data).toEqual({
    id: first?.data['id'],
    uid: 1,
    changes: {
      flags: { added: ['$Important', '\\Seen'], removed: [], value: ['$Important', '\\Seen'] },
    },
  })
  await client.run('UID STORE 1 -FLAGS (\\Seen)')
  await client.run('UID STORE 1 +FLAGS (\\Seen)')
  await client.run('UID MOVE 2 Filed')
  const [deleted] = await world.expectEvents(account, ['messageDeleted'], 1)
  expect(deleted?.data).toEqual({ id: second?.data['id'], uid: 2 })
  const moved = (await world.expectEvents(account, ['messageNew'], 3))[2]
  expect(moved).toMatchObject({
    path: 'Filed',
    data: { path: 'Filed', seemsLikeNew: false, messageId: second?.data['messageId'] },
  })
  // Changes of flags may be merged into fewer events. In any case, the last event has the flags
  // that the server has.
  await eventually(async () => {
    const changes = await world.events(account, 'messageUpdated')
    expect(changes.at(-1)?.data).toMatchObject({
      changes: { flags: { value: ['$Important', '\\Seen'] } },
    })
    expect(new Set(changes.map(({ eventId }) => eventId)).size).toBe(changes.length)
  })
})

test('mailbox events: created, deleted and recreated mailboxes with their messages', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await using client = await ImapClient.login(user)
  await client.run('CREATE Projects')
  await client.append('Projects', mail({ subject: 'filed' }), { date: old })
  const [filed] = await world.expectEvents(account, ['messageNew'], 1)
  expect(filed).toMatchObject({ path: 'Projects', data: { subject: 'filed', seemsLikeNew: false } })
  await client.deleteMailbox('Projects')
  const gone = await eventuallyKnown(client, async () => {
    const received = await world.events(account, 'mailboxDeleted')
    return received.length > 0 && received
  })
  expect(gone[0]?.data).toEqual({ path: 'Projects', name: 'Projects', specialUse: false })
  await client.run('CREATE Projects')
  await eventuallyKnown(client, async () => {
    const result = (await world.events(account, 'mailboxNew')).filter(
      ({ path }) => path === 'Projects',
    )
    expect(result).toHaveLength(2)
  })
})

test('mailboxReset: once for a new UIDVALIDITY, without messageNew', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Work')
  await client.append('Work', mail(), { date: old })
  const account = await world.register(user, { imap: { resyncDelay: 2 } })
  await world.connected(account)
  const before = await world.db
    .selectFrom('mailboxes')
    .selectAll()
    .where('account', '=', account)
    .where('path', '=', 'Work')
    .executeTakeFirstOrThrow()
  // The mailbox is recreated between two sync passes: the listing is the same, UIDVALIDITY is not.
  await world.stopWorker(worker)
  await client.deleteMailbox('Work')
  await client.run('CREATE Work')
  await client.append('Work', mail())
  await client.append('Work', mail())
  worker = await world.startWorker()
  const events = await eventuallyKnown(client, async () => {
    const result = await world.events(account, 'mailboxReset', 'mailboxDeleted')
    return result.length > 0 && result
  })
  expect(events).toHaveLength(1)
  expect(events[0]?.event).toBe('mailboxReset')
  const after = await eventuallyKnown(client, async () => {
    const row = await world.db
      .selectFrom('mailboxes')
      .selectAll()
      .where('account', '=', account)
      .where('path', '=', 'Work')
      .executeTakeFirstOrThrow()
    return row.messages === 2 && row
  })
  expect(events[0]?.data).toEqual({
    path: 'Work',
    name: 'Work',
    specialUse: false,
    uidValidity: after.uidValidity,
    prevUidValidity: before.uidValidity,
    reason: 'uidValidityChange',
  })
  expect(after.number).not.toBe(before.number)
  expect((await world.events(account, 'messageNew')).filter(({ path }) => path === 'Work')).toEqual(
    [],
  )
})

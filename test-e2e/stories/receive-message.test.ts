import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { freePort } from '@posthorn/local'
import { logIn } from './imap-client.ts'
import { peakMemory } from '../peak-memory.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

const world = await startWorld()
afterAll(() => world[Symbol.asyncDispose]())

test('a new account emits its events in order, and a new message causes a signed webhook', async () => {
  const jane = await world.connectAccount('jane')
  await world.webhook(({ event, account }) => event === 'accountInitialized' && account === 'jane')
  const events = world
    .webhooks()
    .filter(({ account, event }) => account === 'jane' && !event.startsWith('mailbox'))
  expect(events.map(({ event }) => event)).toEqual([
    'accountAdded',
    'authenticationSuccess',
    'accountInitialized',
  ])
  expect(
    world.webhooks().filter(({ event, path }) => event === 'mailboxNew' && path === 'INBOX'),
  ).toHaveLength(1)

  const messageId = freshMessageId()
  await world.mail.deliver(jane.user, plainMessage({ messageId, subject: 'Grüße' }))
  const webhook = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )

  expect(webhook).toMatchObject({
    account: 'jane',
    path: 'INBOX',
    signatureValid: true,
    attemptsMade: 0,
  })
  expect(webhook.data).toMatchObject({
    path: 'INBOX',
    subject: 'Grüße',
    from: { name: 'Shop', address: 'shop@example.test' },
    to: [{ address: 'jane@mail.test' }],
    text: { plain: expect.stringContaining('It is on its way.') },
    seemsLikeNew: true,
  })
  expect(webhook.eventId).toMatch(/^[0-9a-f-]{36}$/)
  expect(webhook.request.headers['user-agent']).toMatch(/^Posthorn\/\d/)

  const { body: page } = await world.client.call(operations.listMessages, {
    params: { account: 'jane' },
    query: { path: 'INBOX' },
  })
  expect(page).toMatchObject({
    total: 1,
    page: 0,
    pages: 1,
    messages: [{ id: webhook.data.id, subject: 'Grüße' }],
  })
  const read = await world.client.call(operations.getMessage, {
    params: { account: 'jane', message: webhook.data.id },
    query: { textType: '*' },
  })
  expect(read.body).toMatchObject({
    id: webhook.data.id,
    text: { plain: expect.stringContaining('on its way') },
  })
  const source = await world.client.call(operations.getMessageSource, {
    params: { account: 'jane', message: webhook.data.id },
  })
  expect(source.headers['content-type']).toContain('message/rfc822')
  expect(source.body).toContain(messageId)
  const { body: folders } = await world.client.call(operations.listMailboxes, {
    params: { account: 'jane' },
  })
  expect(folders.mailboxes.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['INBOX', 'Sent', 'Trash']),
  )
})

test('a rejected password emits authenticationError once, and the right password authenticationSuccess', async () => {
  const user = world.mail.freshUser()
  const wrong = { ...user, pass: 'not the password' }
  await world.register('wrong', wrong)
  const error = await world.webhook(
    ({ event, account }) => event === 'authenticationError' && account === 'wrong',
  )
  expect(error.data.serverResponseCode).toBe('AUTHENTICATIONFAILED')
  const { body } = await world.client.call(operations.getAccount, { params: { account: 'wrong' } })
  expect(body).toMatchObject({
    state: 'authenticationError',
    imap: { auth: { user: user.user, pass: '******' } },
  })
  const list = await world.client.call(operations.listMessages, {
    params: { account: 'wrong' },
    query: { path: 'INBOX' },
  })
  expect(list).toMatchObject({
    status: 503,
    body: { code: 'AuthenticationFails', state: 'authenticationError' },
  })

  await world.register('wrong', user)
  await world.webhook(
    ({ event, account }) => event === 'authenticationSuccess' && account === 'wrong',
  )
  const errors = world
    .webhooks()
    .filter(({ event, account }) => event === 'authenticationError' && account === 'wrong')
  expect(errors).toHaveLength(1)
})

test('an unreachable server causes connectError, and deleting the account emits one event', async () => {
  const user = { ...world.mail.freshUser(), imapPort: await freePort() }
  await world.register('nowhere', user)
  const error = await world.webhook(
    ({ event, account }) => event === 'connectError' && account === 'nowhere',
  )
  expect(error.data.serverResponseCode).toBe('ECONNREFUSED')
  expect(
    (await world.client.call(operations.deleteAccount, { params: { account: 'nowhere' } })).body,
  ).toEqual({ account: 'nowhere', deleted: true })
  await world.webhook(({ event, account }) => event === 'accountDeleted' && account === 'nowhere')
  const gone = await world.client.call(operations.getAccount, { params: { account: 'nowhere' } })
  expect(gone).toMatchObject({
    status: 404,
    body: { message: 'Account record was not found for requested ID' },
  })
  expect(gone.body).not.toHaveProperty('code')
})

test('the source of a 50 MB message passes every process with less than 400 MB of memory', async () => {
  const big = await world.connectAccount('big')
  const messageId = freshMessageId()
  const line = `${'x'.repeat(76)}\r\n`
  const size = 50 * 1024 * 1024
  await world.mail.deliver(
    big.user,
    plainMessage({ messageId }) + line.repeat(Math.ceil(size / line.length)),
  )
  const webhook = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  const address = new URL(`/v1/account/big/message/${webhook.data.id}/source`, world.url)
  const response = await fetch(address, { headers: { authorization: `Bearer ${world.token}` } })
  let received = 0
  for await (const chunk of response.body ?? []) received += chunk.length
  expect(response.status).toBe(200)
  expect(received).toBeGreaterThan(size)
  for (const [name, pid] of Object.entries(world.services.pids)) {
    const megabytes = (await peakMemory(pid)) / 1024 ** 2
    expect(megabytes > 0 && megabytes < 400 ? 'fine' : `${name} took ${megabytes} MB`).toBe('fine')
  }
})

test('flag changes, deletions and mailbox changes emit their own events', async () => {
  const client = await logIn(await world.connectAccount('flags'))
  try {
    const messageId = freshMessageId()
    await client.append('INBOX', plainMessage({ messageId }))
    const arrived = await world.webhook(
      ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
    )
    await client.mailboxOpen('INBOX')
    await client.messageFlagsAdd(String(arrived.data.uid), ['\\Flagged'], { uid: true })
    const updated = await world.webhook(
      ({ event, data }) => event === 'messageUpdated' && data.id === arrived.data.id,
    )
    expect(updated.data.changes.flags).toEqual({
      added: ['\\Flagged'],
      removed: [],
      value: ['\\Flagged'],
    })
    await client.messageDelete(String(arrived.data.uid), { uid: true })
    await world.webhook(
      ({ event, data }) => event === 'messageDeleted' && data.id === arrived.data.id,
    )
    await client.mailboxCreate('Projects')
    await world.webhook(
      ({ event, path, account }) =>
        event === 'mailboxNew' && path === 'Projects' && account === 'flags',
    )
    await client.mailboxDelete('Projects')
    await world.webhook(
      ({ event, path, account }) =>
        event === 'mailboxDeleted' && path === 'Projects' && account === 'flags',
    )
  } finally {
    await client.logout()
  }
  expect(
    world.webhooks().filter(({ account, event }) => account === 'flags' && event === 'messageNew'),
  ).toHaveLength(1)
})

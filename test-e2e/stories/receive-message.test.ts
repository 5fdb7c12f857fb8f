import { afterAll, expect, test } from '@jest/globals'
import { freePort } from '@posthorn/local'
import { logIn } from './imap-client.ts'
import { peakMemory } from '../peak-memory.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

const world = await startWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world

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

  const account = 'jane'
  const message = { account, message: String(webhook.data.id) }
  expect(await posthorn.listMessages({ account, path: 'INBOX' })).toMatchObject({
    total: 1,
    page: 0,
    pages: 1,
    messages: [{ id: webhook.data.id, subject: 'Grüße' }],
  })
  expect(await posthorn.getMessage({ ...message, textType: '*' })).toMatchObject({
    id: webhook.data.id,
    text: { plain: expect.stringContaining('on its way') },
  })
  const source = await posthorn.getMessageSource(message)
  expect(source.headers.get('content-type')).toContain('message/rfc822')
  expect(await source.text()).toContain(messageId)
  const { mailboxes } = await posthorn.listMailboxes({ account })
  const paths = mailboxes.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['INBOX', 'Sent', 'Trash']))
})

test('a rejected password emits authenticationError once, and the right password authenticationSuccess', async () => {
  const user = world.mail.freshUser()
  const wrong = { ...user, pass: 'not the password' }
  await world.register('wrong', wrong)
  const error = await world.webhook(
    ({ event, account }) => event === 'authenticationError' && account === 'wrong',
  )
  expect(error.data.serverResponseCode).toBe('AUTHENTICATIONFAILED')
  expect(await posthorn.getAccount({ account: 'wrong' })).toMatchObject({
    state: 'authenticationError',
    imap: { auth: { user: user.user, pass: '******' } },
  })
  const list = posthorn.listMessages({ account: 'wrong', path: 'INBOX' })
  await expect(list).rejects.toMatchObject({
    status: 503,
    code: 'AuthenticationFails',
    state: 'authenticationError',
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
  const account = 'nowhere'
  expect(await posthorn.deleteAccount({ account })).toEqual({ account, deleted: true })
  await world.webhook(({ event, account }) => event === 'accountDeleted' && account === 'nowhere')
  await expect(posthorn.getAccount({ account })).rejects.toMatchObject({
    status: 404,
    message: 'Account record was not found for requested ID',
    code: undefined,
  })
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
  const { body } = await posthorn.getMessageSource({ account: 'big', message: webhook.data.id })
  let received = 0
  for await (const chunk of body ?? []) received += chunk.length
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

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fileSent, findSent } from '@posthorn/contracts/commands/filing'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { shardOf } from '@posthorn/contracts/shards'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
let account: string
let user: ReturnType<World['dovecot']['freshUser']>
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
  user = world.dovecot.freshUser()
  account = await world.register(user)
  await world.connected(account)
})
afterAll(() => world.close())

/** Sent message with the stored MIME bytes. */
async function sent({ owner = account, stored = true } = {}) {
  const queueId = randomUUID()
  const messageId = `<${queueId}@example.com>`
  await world.db
    .insertInto('outbox')
    .values({
      queueId,
      account: owner,
      shard: shardOf(owner),
      source: 'api',
      state: 'sent',
      messageId,
      envelope: JSON.stringify({ from: 'a@example.com', to: ['b@example.com'] }),
      mime: stored
        ? Buffer.from(mail({ subject: 'sent', headers: [`Message-ID: ${messageId}`] }))
        : null,
      finishedAt: new Date(),
    })
    .execute()
  return { queueId, messageId }
}
const list = (path: string) => world.ask(listMessages, account, { path, page: 0, pageSize: 50 })
const inFolder = async (path: string, messageId: string) =>
  (await list(path)).messages.filter((entry) => entry.messageId === messageId)

test('fileSent: stores one copy in Sent with \\Seen for repeated requests, and the sync announces it', async () => {
  const message = await sent()
  const request = { ...message, copy: true }
  expect(await world.ask(fileSent, account, request)).toEqual({ path: 'Sent', skipped: [] })
  expect(await world.ask(fileSent, account, request)).toEqual({ path: 'Sent', skipped: [] })
  const [copy, ...more] = await inFolder('Sent', message.messageId)
  expect(more).toEqual([])
  expect(copy).toMatchObject({ subject: 'sent' })
  expect(copy?.flags).toEqual(['\\Seen'])
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event).toMatchObject({
    path: 'Sent',
    specialUse: '\\Sent',
    data: { messageId: message.messageId, seemsLikeNew: false },
  })
})

test('fileSent: concurrent requests for a message store it once', async () => {
  const message = await sent()
  const request = { ...message, copy: true }
  await Promise.all(Array.from({ length: 5 }, () => world.ask(fileSent, account, request)))
  expect(await inFolder('Sent', message.messageId)).toHaveLength(1)
})

test('fileSent: uses the requested mailbox, or Sent and reports the missing one', async () => {
  const message = await sent()
  const wanted = { ...message, copy: true, sentMailPath: 'Archive' }
  expect(await world.ask(fileSent, account, wanted)).toEqual({ path: 'Archive', skipped: [] })
  const other = await sent()
  const missing = { ...other, copy: true, sentMailPath: 'Nowhere' }
  expect(await world.ask(fileSent, account, missing)).toEqual({
    path: 'Sent',
    skipped: [expect.stringContaining('does not exist')],
  })
  expect(await inFolder('Archive', message.messageId)).toHaveLength(1)
  expect(await inFolder('Sent', other.messageId)).toHaveLength(1)
})

async function put(path: string, subject: string) {
  await using client = await ImapClient.login(user)
  await client.append(path, mail({ subject }))
  const message = (await list(path)).messages.find((entry) => entry.subject === subject)
  return message?.id ?? ''
}

test('fileSent: flags the referenced message', async () => {
  const flagsAfter = async (action: 'reply' | 'reply-all' | 'forward') => {
    const message = await put('INBOX', `to be answered: ${action}`)
    const request = { ...(await sent()), copy: false, reference: { message, action } }
    expect(await world.ask(fileSent, account, request)).toEqual({ skipped: [] })
    return (await world.ask(getMessage, account, { message })).flags
  }
  expect(await flagsAfter('reply')).toEqual(['\\Answered'])
  expect(await flagsAfter('reply-all')).toEqual(['\\Answered'])
  expect(await flagsAfter('forward')).toEqual(expect.arrayContaining(['$Forwarded']))
})

test('fileSent: removes only the draft of the message', async () => {
  const draft = await put('Drafts', 'the draft')
  await put('Drafts', 'another draft')
  const request = { ...(await sent()), copy: true, draft }
  expect(await world.ask(fileSent, account, request)).toMatchObject({ skipped: [] })
  expect((await list('Drafts')).messages.map(({ subject }) => subject)).toEqual(['another draft'])
  // The request to file the sent message is repeated, as after a crash: a missing draft is no
  // failure.
  expect(await world.ask(fileSent, account, request)).toMatchObject({
    skipped: [expect.stringContaining('draft')],
  })
})

test('fileSent: reports missing messages and completes the other steps', async () => {
  const message = await put('INBOX', 'gone in a moment')
  await using client = await ImapClient.login(user)
  await client.run('SELECT INBOX')
  await client.run('STORE 1:* +FLAGS (\\Deleted)')
  await client.run('EXPUNGE')
  const request = { ...(await sent()), copy: true }
  const reference = { message, action: 'reply' as const }
  expect(await world.ask(fileSent, account, { ...request, reference })).toEqual({
    path: 'Sent',
    skipped: [expect.stringContaining('does not exist')],
  })
})

test('fileSent: missing content or content of another account, is not found', async () => {
  const other = await world.register(world.dovecot.freshUser())
  await world.connected(other)
  const without = { ...(await sent({ stored: false })), copy: true }
  await expect(world.ask(fileSent, account, without)).rejects.toMatchObject({ kind: 'not-found' })
  const foreign = { ...(await sent({ owner: other })), copy: true }
  await expect(world.ask(fileSent, account, foreign)).rejects.toMatchObject({ kind: 'not-found' })
})

test('findSent: finds a message in Sent by its Message-ID', async () => {
  const { messageId, queueId } = await sent()
  const find = () => world.ask(findSent, account, { messageId })
  expect(await find()).toEqual({ found: false })
  await world.ask(fileSent, account, { messageId, queueId, copy: true })
  expect(await find()).toEqual({ found: true })
  expect(await world.ask(findSent, account, { messageId, sentMailPath: 'Archive' })).toEqual({
    found: false,
  })
})

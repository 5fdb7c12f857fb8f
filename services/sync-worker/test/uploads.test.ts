import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  getMessage,
  getMessageSource,
  listMessages,
  uploadMessage,
} from '@posthorn/contracts/commands/messages'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { ImapClient, mail } from './imap-client.ts'
import { Relay } from './relay.ts'
import { testWorld, type World } from './world.ts'

let world: World
let account: string
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
  account = await world.register(world.dovecot.freshUser())
  await world.connected(account)
})
afterAll(() => world.close())

async function put(mime: string | Buffer, owner = account): Promise<string> {
  const id = randomUUID()
  await world.db
    .insertInto('uploads')
    .values({ id, account: owner, mime: Buffer.from(mime) })
    .execute()
  return id
}
const waiting = async () =>
  Number(
    (
      await world.db
        .selectFrom('uploads')
        .select((rows) => rows.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
    ).count,
  )
const upload = async (mime: string | Buffer, over: object = {}) =>
  world.ask(uploadMessage, account, {
    upload: await put(mime),
    size: mime.length,
    path: 'INBOX',
    ...over,
  })

test('uploadMessage: stores the exact bytes with flags and date, and the sync announces them', async () => {
  const mime = mail({ subject: 'uploaded', body: `.\r\n..\r\n${'ä'.repeat(500)}` })
  const stored = await upload(mime, {
    path: '\\Drafts',
    flags: ['\\Seen', '\\draft', 'custom'],
    internalDate: '2020-02-29T12:00:00Z',
  })
  expect(stored).toEqual({
    id: expect.any(String),
    path: 'Drafts',
    uid: 1,
    uidValidity: expect.stringMatching(/^\d+$/),
    seq: 1,
  })
  const message = await world.ask(getMessage, account, { message: stored.id ?? '' })
  expect(message.flags).toEqual(['\\Draft', '\\Seen', 'custom'])
  const { body } = await world.bus.requestStream(
    getMessageSource,
    { account, message: stored.id ?? '' },
    { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 },
  )
  expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe(mime)
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event).toMatchObject({ path: 'Drafts', data: { id: stored.id, subject: 'uploaded' } })
  expect(await waiting()).toBe(0)
})

test('uploadMessage: missing mailbox, is not found and deletes the upload', async () => {
  for (const path of ['Nowhere', '\\Nothing'])
    await expect(upload(mail(), { path })).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
  expect(await waiting()).toBe(0)
})

test('uploadMessage: rejection by the server, fails with UploadFail and its response', async () => {
  // Dovecot 2.3 limits keywords to 50 characters.
  const rejected = upload(mail(), { flags: ['k'.repeat(120)] })
  await expect(rejected).rejects.toMatchObject({
    code: 'UploadFail',
    extras: {
      info: { response: expect.stringContaining('too long'), serverResponseCode: 'CANNOT' },
    },
  })
  expect(await waiting()).toBe(0)
  expect((await upload(mail())).uid).toBeGreaterThan(0)
})

test('uploadMessage: a redelivered request appends nothing', async () => {
  const id = await put(mail({ subject: 'once' }))
  const request = { upload: id, size: 100, path: 'Sent' }
  await world.ask(uploadMessage, account, request)
  await expect(world.ask(uploadMessage, account, request)).rejects.toMatchObject({
    kind: 'unavailable',
  })
  const sent = await world.ask(listMessages, account, { path: 'Sent', page: 0, pageSize: 20 })
  expect(sent.total).toBe(1)
})

test('uploadMessage: an upload of another account is unavailable', async () => {
  const other = await world.register(world.dovecot.freshUser())
  await world.connected(other)
  const foreign = await put(mail(), other)
  await expect(
    world.ask(uploadMessage, account, { upload: foreign, size: 100, path: 'INBOX' }),
  ).rejects.toMatchObject({ kind: 'unavailable' })
})

test('uploadMessage: concurrent large uploads are all stored completely', async () => {
  const user = world.dovecot.freshUser()
  const owner = await world.register(user)
  await world.connected(owner)
  const large = (subject: string) => mail({ subject, body: `${'x'.repeat(998)}\r\n`.repeat(8_000) })
  const subjects = Array.from({ length: 6 }, (_, n) => `large ${n}`)
  const stored = await Promise.all(
    subjects.map(async (subject) => {
      const mime = large(subject)
      const upload = await put(mime, owner)
      const request = { upload, size: 30 * 2 ** 20, path: 'Archive' }
      return world.bus.request(
        uploadMessage,
        { account: owner, ...request },
        { key: `shard.${shardOf(owner)}`, timeoutMs: 60_000 },
      )
    }),
  )
  expect(new Set(stored.map(({ uid }) => uid)).size).toBe(6)
  await using client = await ImapClient.login(user)
  await client.run('SELECT Archive')
  const sizes = await client.run('FETCH 1:* RFC822.SIZE')
  expect(sizes.filter((line) => /RFC822.SIZE 80\d{5}\)/.test(line))).toHaveLength(6)
})

test('uploadMessage: replaces a dead connection before the APPEND', async () => {
  const user = world.dovecot.freshUser()
  const relay = await Relay.to({ host: user.host, port: user.imapPort })
  const owner = await world.register(user, { port: relay.port })
  await world.connected(owner)
  const send = async (subject: string) => {
    const mime = mail({ subject })
    const request = { upload: await put(mime, owner), size: mime.length, path: 'Drafts' }
    return world.ask(uploadMessage, owner, request)
  }
  await send('first')
  relay.cut()
  const again = await eventually(() => send('second'))
  expect(again.uid).toBe(2)
  await relay.down()
})

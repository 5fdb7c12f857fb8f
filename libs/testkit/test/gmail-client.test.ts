import { Readable } from 'node:stream'
import { auth, gmail as createClient, type gmail_v1 } from '@googleapis/gmail'
import { expect, test } from '@jest/globals'
import { type GmailFake, startGmailFake } from '../src/providers/gmail/index.ts'

// Tests in which Google's official Node client drives the Gmail fake. They show that the fake
// accepts the client's paths, forms of uploads and token renewal.

const userId = 'me'
const address = 'jane@mail.example'
const fullScope = 'https://mail.google.com/'
const source = (subject: string) =>
  `From: ${address}\r\nTo: bob@mail.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@mail.example>\r\n\r\nhello\r\n`
const encode = (text: string) => Buffer.from(text).toString('base64url')

interface Driven extends AsyncDisposable {
  gmail: GmailFake
  users: gmail_v1.Resource$Users
}

async function drive(): Promise<Driven> {
  const gmail = await startGmailFake()
  gmail.addMailbox(address)
  gmail.refreshTokens.set('1//refresh', { address, scopes: [fullScope] })
  const client = new auth.OAuth2({
    clientId: 'id',
    clientSecret: 'secret',
    endpoints: {
      oauth2TokenUrl: `${gmail.origin}/token`,
      oauth2RevokeUrl: `${gmail.origin}/revoke`,
    },
  })
  client.setCredentials({ refresh_token: '1//refresh' })
  const { users } = createClient({ version: 'v1', auth: client, rootUrl: `${gmail.origin}/` })
  return { gmail, users, [Symbol.asyncDispose]: () => gmail[Symbol.asyncDispose]() }
}

test('official client: renews the token and reads the profile', async () => {
  await using driven = await drive()
  const { gmail, users } = driven
  const profile = await users.getProfile({ userId })
  expect(profile.data).toMatchObject({ emailAddress: address, messagesTotal: 0 })
  expect(typeof profile.data.historyId).toBe('string')
  await users.getProfile({ userId: address })
  expect(gmail.fake.requests('token')).toHaveLength(1)
  await expect(users.getProfile({ userId: 'eve@mail.example' })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('Delegation denied'),
  })
})

test('official client: labels', async () => {
  await using driven = await drive()
  const { labels } = driven.users
  const created = await labels.create({ userId, requestBody: { name: 'Work' } })
  const id = created.data.id ?? ''
  expect(id).toMatch(/^Label_\d{15,19}$/)
  await expect(labels.create({ userId, requestBody: { name: 'work' } })).rejects.toMatchObject({
    status: 409,
  })
  await labels.patch({ userId, id, requestBody: { name: 'Jobs' } })
  const { data } = await labels.get({ userId, id })
  expect(data).toMatchObject({ name: 'Jobs', type: 'user', messagesTotal: 0 })
  const listed = await labels.list({ userId })
  expect(listed.data.labels?.map(({ id: each }) => each)).toContain('INBOX')
  await labels.delete({ userId, id })
  await expect(labels.get({ userId, id })).rejects.toMatchObject({ status: 404 })
  await expect(labels.delete({ userId, id: 'INBOX' })).rejects.toMatchObject({ status: 400 })
})

test('official client: messages, from insertion to permanent deletion', async () => {
  await using driven = await drive()
  const { messages } = driven.users
  const inserted = await messages.insert({
    userId,
    requestBody: { raw: encode(source('one')), labelIds: ['INBOX', 'UNREAD'] },
  })
  const id = inserted.data.id ?? ''
  expect(id).toMatch(/^[0-9a-f]{16}$/)
  const empty = await messages.list({ userId, q: 'subject:none' })
  expect(empty.data).toEqual({ resultSizeEstimate: 0 })
  const full = await messages.get({ userId, id })
  expect(full.data.payload).toMatchObject({ partId: '', mimeType: 'text/plain' })
  const raw = await messages.get({ userId, id, format: 'raw' })
  expect(Buffer.from(raw.data.raw ?? '', 'base64url').toString()).toBe(source('one'))
  const metadata = await messages.get({
    userId,
    id,
    format: 'metadata',
    metadataHeaders: ['subject'],
  })
  expect(metadata.data.payload?.headers).toEqual([{ name: 'Subject', value: 'one' }])
  const requestBody = { removeLabelIds: ['UNREAD'], addLabelIds: ['STARRED'] }
  const modified = await messages.modify({ userId, id, requestBody })
  expect(modified.data.labelIds).toEqual(['INBOX', 'STARRED'])
  const bulk = { ids: [id, '18c0ffee00000001'], addLabelIds: ['IMPORTANT'] }
  expect((await messages.batchModify({ userId, requestBody: bulk })).status).toBe(204)
  await messages.trash({ userId, id })
  const trashed = await messages.untrash({ userId, id })
  expect(trashed.data.labelIds).toEqual(['STARRED', 'IMPORTANT'])
  await messages.delete({ userId, id })
  await expect(messages.get({ userId, id })).rejects.toMatchObject({ status: 404 })
  await expect(messages.get({ userId, id: 'f'.repeat(16) })).rejects.toMatchObject({ status: 400 })
})

test('official client: pages of lists, newest first', async () => {
  await using driven = await drive()
  const mailbox = driven.gmail.mailboxes.get(address)
  const ids = Array.from({ length: 5 }, (_, index) => mailbox?.deliver(source(`m${index}`)).id)
  const seen: (string | null | undefined)[] = []
  let pageToken: string | undefined
  do {
    const query = { userId, maxResults: 2, ...(pageToken !== undefined && { pageToken }) }
    const { data }: { data: gmail_v1.Schema$ListMessagesResponse } =
      await driven.users.messages.list(query)
    seen.push(...(data.messages ?? []).map(({ id }) => id))
    pageToken = data.nextPageToken ?? undefined
  } while (pageToken !== undefined)
  expect(seen).toEqual(ids.reverse())
  await expect(driven.users.messages.list({ userId, pageToken: '99' })).rejects.toMatchObject({
    status: 400,
  })
})

test('official client: attachment ids differ between gets', async () => {
  await using driven = await drive()
  const mailbox = driven.gmail.mailboxes.get(address)
  const content =
    'Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nY29udGVudA==\r\n'
  const { id = '' } = mailbox?.deliver(`Subject: x\r\n${content}`) ?? {}
  const attachmentId = async () =>
    (await driven.users.messages.get({ userId, id })).data.payload?.body?.attachmentId ?? ''
  const [one, other] = [await attachmentId(), await attachmentId()]
  expect(one).not.toBe(other)
  const { data } = await driven.users.messages.attachments.get({ userId, messageId: id, id: one })
  expect(Buffer.from(data.data ?? '', 'base64url').toString()).toBe('content')
})

test('official client: drafts, uploads and sending', async () => {
  await using driven = await drive()
  const { gmail, users } = driven
  const other = gmail.addMailbox('bob@mail.example')
  const { drafts } = users
  const media = { mimeType: 'message/rfc822', body: Readable.from([source('one')]) }
  // Uploads of the Gmail API have their own root path.
  const options = { rootUrl: `${gmail.origin}/` }
  const created = await drafts.create({ userId, requestBody: { message: {} }, media }, options)
  const id = created.data.id ?? ''
  const message = { raw: encode(source('two')) }
  const updated = await drafts.update({ userId, id, requestBody: { message } })
  expect(updated.data).toMatchObject({ id })
  expect(updated.data.message?.id).not.toBe(created.data.message?.id)
  expect((await drafts.get({ userId, id })).data.message?.labelIds).toEqual(['DRAFT'])
  const listed = await drafts.list({ userId, q: 'rfc822msgid:two@mail.example' })
  expect(listed.data.drafts).toMatchObject([{ id }])
  const sent = await drafts.send({ userId, requestBody: { id } })
  expect(sent.data.labelIds).toEqual(['SENT'])
  expect((await drafts.list({ userId })).data.drafts).toBeUndefined()
  await expect(drafts.send({ userId, requestBody: { id } })).rejects.toMatchObject({ status: 404 })
  const upload = { mimeType: 'message/rfc822', body: source('three') }
  await users.messages.send({ userId, media: upload }, options)
  expect(other.list).toHaveLength(2)
  expect(other.list[0]?.raw.toString()).toMatch(/^Message-ID: <CA/)
  const rawless = users.messages.send({ userId, requestBody: {} })
  await expect(rawless).rejects.toMatchObject({ status: 400 })
})

test('official client: history, with expiry', async () => {
  await using driven = await drive()
  const { gmail, users } = driven
  const mailbox = gmail.mailboxes.get(address)
  const startHistoryId = (await users.getProfile({ userId })).data.historyId ?? ''
  const none = await users.history.list({ userId, startHistoryId })
  expect(none.data).toEqual({ historyId: startHistoryId })
  const message = mailbox?.deliver(source('one'))
  if (message) mailbox?.modify(message, ['STARRED'], ['UNREAD'])
  const { data } = await users.history.list({ userId, startHistoryId })
  expect(data.history).toMatchObject([
    { messagesAdded: [{ message: { id: message?.id, labelIds: ['INBOX', 'UNREAD'] } }] },
    { labelsAdded: [{ labelIds: ['STARRED'] }], labelsRemoved: [{ labelIds: ['UNREAD'] }] },
  ])
  const first = await users.history.list({ userId, startHistoryId, maxResults: 1 })
  const { nextPageToken: pageToken = '' } = first.data
  const second = await users.history.list({ userId, startHistoryId, pageToken: pageToken ?? '' })
  expect(second.data.history).toHaveLength(1)
  mailbox?.expireHistory()
  await expect(users.history.list({ userId, startHistoryId })).rejects.toMatchObject({
    status: 404,
  })
})

test('official client: watches and notifications', async () => {
  await using driven = await drive()
  const { gmail, users } = driven
  const watch = (topicName: string) => users.watch({ userId, requestBody: { topicName } })
  await expect(watch('projects/p/topics/none')).rejects.toMatchObject({ status: 404 })
  for (const name of ['t', 'u']) gmail.pubsub.addTopic(`projects/p/topics/${name}`)
  const { data } = await watch('projects/p/topics/t')
  expect(Number(data.expiration)).toBe(gmail.clock.now + 604_800_000)
  await expect(watch('projects/p/topics/u')).rejects.toMatchObject({ status: 400 })
  gmail.mailboxes.get(address)?.deliver(source('one'))
  expect(gmail.notifications.all).toHaveLength(2)
  await users.stop({ userId })
  await watch('projects/p/topics/u')
})

test('official client: signatures, and a revoked grant', async () => {
  await using driven = await drive()
  const { gmail, users } = driven
  const { data } = await users.settings.sendAs.list({ userId })
  expect(data.sendAs).toMatchObject([{ sendAsEmail: address, isPrimary: true }])
  const revoked = await fetch(`${gmail.origin}/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: '1//refresh' }),
  })
  expect(revoked.status).toBe(200)
  await expect(users.getProfile({ userId })).rejects.toThrow('Invalid Credentials')
})

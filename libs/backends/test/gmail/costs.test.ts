import { expect, test } from '@jest/globals'
import { mail, signal } from '../mail-api/environment.ts'
import { FeedIndex } from '../mail-api/feed-index.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

const feed = { id: 'mailbox' }

/** Numbers of Gmail requests and quota units that calls of the Gmail client need. */
async function costOf({ gmail }: GmailSetup, work: () => Promise<unknown>) {
  const before = gmail.fake.log.length
  await work()
  const requests = gmail.fake.log.slice(before)
  const units = requests.reduce((sum, each) => sum + each.units, 0)
  const parts = gmail.fake.log.slice(before).filter(({ operation }) => operation === 'batch')
  const names = requests.map(({ operation }) => operation.replace('gmail.users.', ''))
  return { units, names, batches: parts.length }
}

async function cursorOf({ create }: GmailSetup): Promise<string> {
  const index = new FeedIndex(create({ priority: 'initial-sync' }))
  await index.follow()
  return index.cursors.get(feed.id) ?? ''
}

test('units: new message with its text, 22', async () => {
  await using setup = await startGmail()
  const { api, mailbox } = setup
  const cursor = await cursorOf(setup)
  mailbox.deliver(mail('a'))
  const { units, names } = await costOf(setup, async () => {
    const { changed } = await api.changes(feed, { cursor, limit: 500 }, signal)
    const ids = changed.map(({ id }) => id)
    await api.getMessages(ids, { headers: true, attachments: true, maxTextBytes: 1_000 }, signal)
  })
  expect(names).toEqual(['history.list', 'batch', 'messages.get'])
  expect(units).toBe(22)
})

test('units: changed labels, 2', async () => {
  await using setup = await startGmail()
  const message = setup.mailbox.deliver(mail('a'))
  const cursor = await cursorOf(setup)
  setup.mailbox.modify(message, ['STARRED'], ['UNREAD'])
  const { units } = await costOf(setup, () =>
    setup.api.changes(feed, { cursor, limit: 500 }, signal),
  )
  expect(units).toBe(2)
})

test('units: sent message, 130 in 3 calls', async () => {
  await using setup = await startGmail()
  const { api } = setup
  const { units, names } = await costOf(setup, async () => {
    const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
    const sent = await api.releaseDraft(draft.id, signal)
    expect(sent.messageIdHeader).toMatch(/^<CA/)
  })
  expect(names).toEqual(['drafts.create', 'drafts.send', 'messages.get'])
  expect(units).toBe(130)
})

test('units: first round, 5 per 500 messages and label', async () => {
  await using setup = await startGmail()
  for (let count = 0; count < 2_000; count++)
    setup.mailbox.deliver(mail('m'), { labels: ['INBOX', 'UNREAD', 'CATEGORY_PERSONAL'] })
  const { units, names } = await costOf(setup, () => cursorOf(setup))
  const lists = names.filter((name) => name === 'messages.list').length
  // Requests of the first full round: four message lists with 4 pages each, 11 empty lists, the
  // profile, the history and two label lists.
  expect(lists).toBe(4 * 4 + 11)
  expect(units).toBe(lists * 5 + 5)
})

test('units: first round with 10,000 labels, 1 per label and 5 per label with messages', async () => {
  await using setup = await startGmail()
  const { mailbox } = setup
  const count = 10_000 - mailbox.labels.size
  for (let at = 0; at < count; at++)
    mailbox.labels.set(`Label_${at}`, { id: `Label_${at}`, name: `L ${at}`, type: 'user' })
  const used = Array.from({ length: 30 }, (_, at) => `Label_${at * 333}`)
  for (const label of used) mailbox.deliver(mail('m'), { labels: ['INBOX', label] })
  const index = new FeedIndex(setup.create({ priority: 'initial-sync' }))
  const { units, names, batches } = await costOf(setup, () => index.follow())
  const lists = names.filter((name) => name === 'messages.list').length
  // Message lists of the mailbox, of 14 system labels, and of the user labels in use.
  expect(lists).toBe(1 + 14 + used.length)
  expect(batches).toBe(Math.ceil(10_000 / 25))
  expect(units).toBe(count + lists * 5 + 5)
  for (const { id, labels } of mailbox.list)
    expect(index.messages.get(id)?.labels.toSorted()).toEqual([...labels].sort())
})

test('units: 1,000 messages, change with one call; up to 10 with one each', async () => {
  await using setup = await startGmail()
  const { api, mailbox } = setup
  const ids = Array.from({ length: 1_000 }, () => mailbox.deliver(mail('a')).id)
  const update = { unseen: false }
  const all = await costOf(setup, () => api.updateMessages(ids, update, signal))
  expect(all).toMatchObject({ units: 50, names: ['messages.batchModify'] })
  const some = await costOf(setup, () => api.updateMessages(ids.slice(0, 10), update, signal))
  expect(some.units).toBe(50)
  expect(mailbox.list.some(({ labels }) => labels.has('UNREAD'))).toBe(false)
})

test('units: list of 20, one list, one count and one batch', async () => {
  await using setup = await startGmail()
  for (let count = 0; count < 30; count++) setup.mailbox.deliver(mail('a'))
  const { units, batches, names } = await costOf(setup, async () => {
    const page = await setup.api.listMessages({ folderId: 'INBOX' }, { limit: 20 }, signal)
    expect(page).toMatchObject({ total: 30, nextPageToken: expect.any(String) })
  })
  expect(batches).toBe(1)
  expect(names.filter((name) => name !== 'messages.get')).toHaveLength(3)
  expect(units).toBe(5 + 1 + 20 * 20)
})

test('requests: select the members of the response, and carry the token of the mailbox', async () => {
  await using setup = await startGmail()
  const { api, gmail, mailbox } = setup
  const { id } = mailbox.deliver(mail('a'))
  await cursorOf(setup)
  await api.profile(signal)
  await api.getMessages([id], { headers: true }, signal)
  await Array.fromAsync((await api.downloadSource(id, signal)).content)
  const folder = await api.createFolder({ name: 'x' }, signal)
  await api.renameFolder(folder.id, { name: 'y' }, signal)
  await api.updateMessages([id], { addLabels: [folder.id] }, signal)
  await api.folderCounts(folder.id, signal)
  await api.deleteFolder(folder.id, signal)
  const draft = await api.depositDraft(Buffer.from(mail('a')), {}, signal)
  for (const query of [
    { draftId: draft.id },
    { messageId: draft.messageId },
    { messageIdHeader: '<a@b>' },
  ])
    await api.findDrafts(query, signal)
  await api.releaseDraft(draft.id, signal)
  await api.findSent(draft, signal)
  await api.watch('', signal)
  await api.stopWatch('', signal)
  const [token = ''] = gmail.tokens.keys()
  for (const request of gmail.fake.log) {
    expect(request.headers.authorization).toBe(`Bearer ${token}`)
    expect(request.headers['content-encoding']).toBeUndefined()
    if (request.operation !== 'batch') expect(request.query.get('fields')).toBeTruthy()
  }
})

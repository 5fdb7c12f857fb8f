import { expect, test } from '@jest/globals'
import type { FakeMailbox } from '@posthorn/testkit/graph-fake'
import { mail, signal } from '../mail-api/environment.ts'
import { FeedIndex } from '../mail-api/feed-index.ts'
import { startGraph } from './environment.ts'

// Tests of Graph folders with damaged messages, which Graph cannot return in any list.

const raw = (subject: string) => Buffer.from(mail(subject))
const delta = 'GET /mailFolders/{mailFolder-id}/messages/delta()'
const dayMs = 86_400_000

/**
 * Fills the inbox of the fake Graph mailbox. The messages have different times, so that lists have
 * an order.
 */
function fill(mailbox: FakeMailbox, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const receivedAt = mailbox.clock.now - (count - at) * 1_000
    return mailbox.deliver({ raw: raw(`${at}`), receivedAt }).id
  })
}

const readable = ({ messages, damaged }: FakeMailbox) =>
  [...messages.keys()].filter((id) => !damaged.has(id)).sort()

test.each([
  ['the first', [0]],
  ['the last', [119]],
  ['some in a row', [40, 41, 42]],
  ['some apart', [5, 60, 118]],
])('changes: %s of 120 messages damaged, the others are indexed', async (_which, positions) => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const { mailbox } = fake
  const ids = fill(mailbox, 120)
  for (const at of positions) mailbox.damaged.add(ids[at] ?? '')
  const index = new FeedIndex(api)
  await index.follow()
  expect(Object.keys(index.snapshot()).sort()).toEqual(readable(mailbox))

  // New messages of the Graph folder are found without listing all messages again.
  fill(mailbox, 3)
  await index.follow()
  expect(Object.keys(index.snapshot()).sort()).toEqual(readable(mailbox))

  // After a day the delta (list of changes) of the Graph folder is tried again.
  mailbox.damaged.clear()
  const before = fake.server.requests(delta).length
  await index.follow()
  const inbox = mailbox.folder('inbox').id
  const ofInbox = () =>
    fake.server.requests(delta).filter(({ path }) => decodeURIComponent(path).includes(inbox))
  const during = ofInbox().length
  fake.clock.advance(dayMs)
  await index.follow()
  expect(ofInbox().length).toBeGreaterThan(during)
  expect(fake.server.requests(delta).length).toBeGreaterThan(before)
  expect(Object.keys(index.snapshot()).sort()).toEqual(readable(mailbox))
})

test('changes: a page tells how many messages it passes over', async () => {
  await using setup = await startGraph()
  const { mailbox } = setup.fake
  const ids = fill(mailbox, 4)
  mailbox.damaged.add(ids[3] ?? '')
  const id = mailbox.folder('inbox').id
  const page = await setup.api.changes({ id, folderId: id }, { limit: 500 }, signal)
  expect(page).toMatchObject({ full: true, complete: true, unreadable: 1 })
  expect(page.changed.map((each) => each.id).sort()).toEqual(ids.slice(0, 3).sort())
})

test('changes: more than five damaged messages in a row, the folder is refused', async () => {
  await using setup = await startGraph()
  const { mailbox } = setup.fake
  for (const id of fill(mailbox, 6)) mailbox.damaged.add(id)
  const id = mailbox.folder('inbox').id
  const changes = setup.api.changes({ id, folderId: id }, { limit: 500 }, signal)
  await expect(changes).rejects.toMatchObject({ failure: 'unavailable', status: 500 })
})

test('changes: an outage of the whole service is no damaged message', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  fill(fake.mailbox, 5)
  const id = fake.mailbox.folder('inbox').id
  const response = { status: 500, body: { error: { code: 'InternalServerError', message: 'x' } } }
  const end = fake.server.on('*', () => ({ kind: 'reply', response }))
  await expect(api.changes({ id, folderId: id }, { limit: 500 }, signal)).rejects.toMatchObject({
    failure: 'unavailable',
    status: 500,
  })
  end()
  const { complete } = await api.changes({ id, folderId: id }, { limit: 500 }, signal)
  expect(complete).toBe(true)
})

test('lists: damaged messages are left out, with links to further pages', async () => {
  await using setup = await startGraph()
  const { mailbox } = setup.fake
  const ids = fill(mailbox, 30)
  for (const at of [0, 11, 12, 29]) mailbox.damaged.add(ids[at] ?? '')
  const query = { folderId: mailbox.folder('inbox').id }
  const listed: string[] = []
  let pageToken: string | undefined
  do {
    const page = { limit: 10, ...(pageToken !== undefined && { pageToken }) }
    const { entries, nextPageToken } = await setup.api.listIds(query, page, signal)
    listed.push(...entries.map(({ id }) => id))
    pageToken = nextPageToken
  } while (pageToken !== undefined)
  expect(listed).toEqual(ids.filter((id) => !mailbox.damaged.has(id)).toReversed())
})

test('lists: an outage of the service ends after a few requests', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  fill(fake.mailbox, 5)
  const response = { status: 500, body: { error: { code: 'InternalServerError', message: 'x' } } }
  fake.server.on('*', () => ({ kind: 'reply', response }))
  await expect(api.listIds({}, { limit: 100 }, signal)).rejects.toMatchObject({ status: 500 })
  expect(fake.server.requests().length).toBeLessThan(25)
})

test.each([502, 503, 504])(
  'lists: status %i of lists alone is an outage, nothing is left out',
  async (status) => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fill(fake.mailbox, 5)
    const id = fake.mailbox.folder('inbox').id
    const response = { status, body: { error: { code: 'ServiceNotAvailable', message: 'x' } } }
    for (const operation of [delta, delta.replace('/delta()', '')])
      fake.server.on(operation, () => ({ kind: 'reply', response }))
    const changes = api.changes({ id, folderId: id }, { limit: 500 }, signal)
    await expect(changes).rejects.toMatchObject({ failure: 'unavailable', status })
    await expect(api.listIds({ folderId: id }, { limit: 10 }, signal)).rejects.toMatchObject({
      status,
    })
  },
)

test('changes: a delta that fails without a damaged message is tried again after an hour', async () => {
  await using setup = await startGraph()
  const { fake } = setup
  fill(fake.mailbox, 5)
  const inbox = fake.mailbox.folder('inbox').id
  const response = { status: 500, body: { error: { code: 'InternalServerError', message: 'x' } } }
  const end = fake.server.on(delta, ({ path }) =>
    decodeURIComponent(path).includes(inbox) ? { kind: 'reply', response } : undefined,
  )
  const index = new FeedIndex(setup.api)
  await index.follow()
  end()
  const ofInbox = () =>
    fake.server.requests(delta).filter(({ path }) => decodeURIComponent(path).includes(inbox))
  const before = ofInbox().length
  await index.follow()
  expect(ofInbox()).toHaveLength(before)
  fake.clock.advance(3_600_000)
  await index.follow()
  expect(ofInbox().length).toBeGreaterThan(before)
  expect(Object.keys(index.snapshot()).sort()).toEqual(readable(fake.mailbox))
})

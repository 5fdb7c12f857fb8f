import { expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import type { ChangesPage } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { FeedIndex, snapshotOf } from '../mail-api/feed-index.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

const feed = { id: 'mailbox' }

/** State of the messages in the Gmail mailbox, in the form in which an index stores it. */
function actual({ mailbox }: GmailSetup): Record<string, object> {
  return snapshotOf(
    mailbox.list.map(({ id, labels }) => ({
      id,
      labels: [...labels].filter((label) => label !== 'UNREAD' && label !== 'STARRED'),
      unseen: labels.has('UNREAD'),
      flagged: labels.has('STARRED'),
      draft: labels.has('DRAFT'),
    })),
  )
}

async function expectEqual(setup: GmailSetup, index: FeedIndex): Promise<void> {
  await index.follow()
  expect(index.snapshot()).toEqual(actual(setup))
}

/** Reads changes of the Gmail mailbox from a cursor on until the feed is complete. */
async function follow({ api }: GmailSetup, cursor: string): Promise<ChangesPage[]> {
  const pages: ChangesPage[] = []
  for (let next = cursor; ; next = pages.at(-1)?.cursor ?? '') {
    pages.push(await api.changes(feed, { cursor: next, limit: 500 }, signal))
    if (pages.at(-1)?.complete) return pages
  }
}

function deliver({ mailbox }: GmailSetup, count: number, labels = ['INBOX', 'UNREAD']) {
  return Array.from({ length: count }, (_, index) => mailbox.deliver(mail(`m${index}`), { labels }))
}

test('changes: first round, reads the history id before the first list and gets no message', async () => {
  await using setup = await startGmail()
  deliver(setup, 1_200)
  deliver(setup, 3, ['SPAM', 'STARRED'])
  deliver(setup, 2, ['TRASH'])
  const index = new FeedIndex(setup.api)
  await index.follow()
  expect(index.snapshot()).toEqual(actual(setup))
  const operations = setup.gmail.fake.log.map(({ operation }) =>
    operation.replace('gmail.users.', ''),
  )
  const [first] = operations.filter((name) => name !== 'labels.list')
  expect(first).toBe('getProfile')
  expect(operations).not.toContain('messages.get')
  expect(operations).not.toContain('batch')
  const lists = setup.gmail.requests('messages.list')
  expect(lists.every(({ query }) => query.get('includeSpamTrash') === 'true')).toBe(true)
  expect(new Set(lists.map(({ query }) => query.get('maxResults')))).toEqual(new Set(['500']))
  // The Gmail message lists of the mailbox, INBOX and UNREAD have 3 pages each. Other message lists
  // have one page.
  expect(lists).toHaveLength(3 * 3 + 12)
})

test('changes: process that stops after each page, continues with the cursor', async () => {
  await using setup = await startGmail()
  deliver(setup, 30)
  let cursor: string | undefined
  const ids = new Set<string>()
  for (;;) {
    // Each page of Gmail changes is read by a new client.
    const position = { limit: 7, ...(cursor !== undefined && { cursor }) }
    const page = await setup.create({ priority: 'initial-sync' }).changes(feed, position, signal)
    for (const { id } of page.changed) ids.add(id)
    cursor = page.cursor
    if (page.complete) break
  }
  expect(ids.size).toBe(30)
  expect(setup.gmail.requests('getProfile')).toHaveLength(1)
})

test('changes: pages without history, are followed to the end', async () => {
  await using setup = await startGmail()
  const index = new FeedIndex(setup.api)
  await index.follow()
  deliver(setup, 3)
  setup.gmail.switches.emptyHistoryPages = 3
  await expectEqual(setup, index)
  expect(setup.gmail.switches.emptyHistoryPages).toBe(0)
})

test('changes: records without label sets, say nothing about labels', async () => {
  await using setup = await startGmail()
  const [message] = deliver(setup, 1)
  const index = new FeedIndex(setup.api)
  await index.follow()
  setup.gmail.switches.omitsLabelIds = true
  if (message) setup.mailbox.modify(message, ['STARRED', 'IMPORTANT'], ['UNREAD'])
  await expectEqual(setup, index)
})

test('changes: message added and deleted between two rounds, is only removed', async () => {
  await using setup = await startGmail()
  const index = new FeedIndex(setup.api)
  await index.follow()
  const cursor = index.cursors.get(feed.id) ?? ''
  const [message] = deliver(setup, 1)
  if (message) setup.mailbox.remove(message)
  const [page] = await follow(setup, cursor)
  expect(page).toMatchObject({ changed: [], removed: [message?.id] })
})

test('changes: 1,000 changes, are read in pages of 100 records', async () => {
  await using setup = await startGmail()
  const index = new FeedIndex(setup.api)
  await index.follow()
  const cursor = index.cursors.get(feed.id) ?? ''
  deliver(setup, 1_000)
  const pages = await follow(setup, cursor)
  expect(pages.map(({ changed }) => changed.length)).toEqual(Array.from({ length: 10 }, () => 100))
  expect(setup.gmail.requests('history.list').length).toBe(1 + 10)
  // After a crash behind any page of Gmail changes, reading continues without repeating an earlier
  // page.
  const again = await follow(setup, pages[4]?.cursor ?? '')
  expect(again.flatMap(({ changed }) => changed)).toHaveLength(500)
})

test('changes: autosaved draft, removes one message and adds another', async () => {
  await using setup = await startGmail()
  const draftId = setup.mailbox.saveDraft(Buffer.from(mail('one')))
  const index = new FeedIndex(setup.api)
  await index.follow()
  const before = setup.mailbox.drafts.get(draftId)
  const cursor = index.cursors.get(feed.id) ?? ''
  setup.mailbox.saveDraft(Buffer.from(mail('two')), { draftId })
  const [page] = await follow(setup, cursor)
  expect(page?.removed).toEqual([before])
  expect(page?.changed).toMatchObject([{ id: setup.mailbox.drafts.get(draftId), draft: true }])
})

test('changes: label deleted or renamed during the first round, the index equals the mailbox', async () => {
  await using setup = await startGmail()
  const { api, mailbox } = setup
  const names = ['a/b', 'a/b/c & d', '😀']
  const labels = []
  for (const name of names) labels.push(await api.createFolder({ name }, signal))
  for (const label of labels) deliver(setup, 5, [label.id])
  const [gone, renamed] = labels
  setup.gmail.on('messages.list', (request) => {
    if (request.query.get('labelIds') !== gone?.id || !mailbox.labels.has(gone?.id ?? ''))
      return undefined
    mailbox.deleteLabel(gone?.id ?? '')
    return undefined
  })
  const index = new FeedIndex(api, 2)
  await api.renameFolder(renamed?.id ?? '', { name: 'other' }, signal)
  await expectEqual(setup, index)
})

test('changes: expired page token, restarts its list', async () => {
  await using setup = await startGmail()
  deliver(setup, 25)
  const first = await setup.api.changes(feed, { limit: 10 }, signal)
  setup.gmail.pageTokens.clear()
  const index = new FeedIndex(setup.api, 10)
  index.cursors.set(feed.id, first.cursor)
  await index.follow()
  expect(index.snapshot()).toEqual(actual(setup))
})

test('changes: page token of the history expires, the page starts again', async () => {
  await using setup = await startGmail()
  const index = new FeedIndex(setup.api)
  await index.follow()
  deliver(setup, 1)
  setup.gmail.switches.emptyHistoryPages = 1
  const cursor = index.cursors.get(feed.id) ?? ''
  const page = await setup.api.changes(feed, { cursor, limit: 100 }, signal)
  expect(page).toMatchObject({ changed: [], complete: false })
  setup.gmail.pageTokens.clear()
  const [next] = await follow(setup, page.cursor)
  expect(next?.changed).toHaveLength(1)
})

test('changes: expired history, is stale with its warning; other failures are not', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const index = new FeedIndex(api)
  await index.follow()
  const cursor = index.cursors.get(feed.id) ?? ''
  mailbox.expireHistory()
  const read = () => api.changes(feed, { cursor, limit: 100 }, signal)
  await expect(read()).rejects.toMatchObject({
    failure: 'stale-cursor',
    warning: 'historyIdExpired',
  })
  for (const [response, failure] of [
    [gmailFailures.mailServiceDisabled(), 'mailbox-disabled'],
    [gmailFailures.insufficientScope(), 'access-denied'],
    [gmailFailures.badGateway(), 'unavailable'],
  ] as const) {
    const { headers: _, ...rest } = response
    const body = failure === 'unavailable' ? '<html>' : rest.body
    const remove = gmail.on(
      'history.list',
      providerFaults.replies({ ...rest, ...(body && { body }) }),
    )
    await expect(read()).rejects.toMatchObject({ failure })
    remove()
  }
  for (const bad of ['', 'x', Buffer.from('{"since":"-1"}').toString('base64url')])
    await expect(api.changes(feed, { cursor: bad, limit: 1 }, signal)).rejects.toMatchObject({
      failure: 'stale-cursor',
    })
})

test('changes: response with an older history id, does not move the cursor back', async () => {
  await using setup = await startGmail()
  const index = new FeedIndex(setup.api)
  await index.follow()
  const cursor = index.cursors.get(feed.id) ?? ''
  const remove = setup.gmail.on(
    'history.list',
    providerFaults.replies({ body: { historyId: '5' } }),
  )
  const page = await setup.api.changes(feed, { cursor, limit: 100 }, signal)
  remove()
  expect(page.cursor).toBe(cursor)
})

test('changes: one record with 2,000 messages between others, pages have at most 1,000 entries or one record', async () => {
  await using setup = await startGmail()
  const ids = Array.from({ length: 2_000 }, (_, index) => (0x1a00 + index).toString(16))
  const record = (id: string, messages: string[]) => ({
    id,
    messagesAdded: messages.map((each) => ({ message: { id: each } })),
  })
  const history = [record('2000', ids.slice(0, 900)), record('2001', ids), record('2002', ['1'])]
  const body = { history, historyId: '3000' }
  setup.gmail.on('history.list', ({ query }) => ({
    kind: 'reply',
    response: {
      body: {
        ...body,
        history: history.filter(({ id }) => Number(id) > Number(query.get('startHistoryId'))),
      },
    },
  }))
  const cursor = Buffer.from(JSON.stringify({ since: '1999' })).toString('base64url')
  const pages = await follow(setup, cursor)
  expect(pages.map(({ changed }) => changed.length)).toEqual([900, 2_000, 1])
})

test('changes: 1,000 labels, are counted once although the process stops after each page', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox } = setup
  const ids = Array.from({ length: 1_000 }, (_, at) => `Label_${at}`)
  for (const id of ids) mailbox.setLabel({ id, name: `Work ${id}`, type: 'user' })
  const used = ids.filter((_, at) => at % 100 === 0)
  for (const id of used) deliver(setup, 3, ['INBOX', id])
  const labels = new Map<string, string[]>()
  let calls = 0
  for (let cursor: string | undefined, isComplete = false; !isComplete; calls++) {
    // Each page of Gmail changes is read by a new client.
    const position = { limit: 2, ...(cursor !== undefined && { cursor }) }
    const page = await setup.create({ priority: 'initial-sync' }).changes(feed, position, signal)
    for (const { id, addedLabels = [] } of page.changed)
      labels.set(id, [...(labels.get(id) ?? []), ...addedLabels])
    cursor = page.cursor
    isComplete = page.complete
    // The Gmail label is deleted during the full round (listing of all messages).
    if (page.changed.some(({ addedLabels }) => addedLabels?.includes(used[1] ?? '')))
      mailbox.labels.delete(used[9] ?? '')
  }
  expect(new Set([...labels.values()].map((each) => each.sort().join()))).toEqual(
    new Set(
      used
        .slice(0, 9)
        .map((id) => `INBOX,${id}`)
        .concat('INBOX'),
    ),
  )
  const counted = gmail.requests('labels.get').map(({ params }) => params['id'] ?? '')
  expect(counted.toSorted()).toEqual(ids.filter((id) => id !== used[9]).toSorted())
  // 15 pages of all messages, 15 pages of the inbox, 2 pages of each label in use, and Gmail
  // requests that only count messages.
  expect(calls).toBeLessThanOrEqual(30 + 2 * used.length + 1_000 / 25)
})

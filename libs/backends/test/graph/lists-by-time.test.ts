import { expect, test } from '@jest/globals'
import { type GraphSetup, startGraph } from './environment.ts'

// Tests of Graph message lists that are continued by time while messages are deleted.

const { signal } = new AbortController()
const start = Date.UTC(2026, 0, 1)
const search = { since: new Date(start), before: new Date(start + 86_400_000) }

/** Delivers messages to the Graph mailbox. Returns the messages, newest first. */
function deliver({ fake }: GraphSetup, count: number, perSecond = 2) {
  const raw = Buffer.from('Subject: x\r\n\r\nx\r\n')
  const messages = Array.from({ length: count }, (_, number) => {
    const receivedAt = start + Math.floor(number / perSecond) * 1_000
    return fake.mailbox.deliver({ raw, receivedAt })
  })
  return messages.toReversed()
}

const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id)

async function listAll({ api }: GraphSetup, onPage: (page: number) => void = () => undefined) {
  const ids = new Set<string>()
  let pageToken: string | undefined
  for (let page = 0; page === 0 || pageToken !== undefined; page++) {
    const options = { limit: 5, byTime: true, ...(pageToken !== undefined && { pageToken }) }
    const list = await api.listMessages({ search }, options, signal)
    for (const { id } of list.entries) ids.add(id)
    pageToken = list.nextPageToken
    onPage(page)
    if (page > 50) throw new Error(`endless list at ${pageToken}`)
  }
  return [...ids]
}

test('listMessages by time: listed messages are deleted between pages, no other is missing', async () => {
  await using setup = await startGraph()
  const messages = deliver(setup, 20)
  const listed = await listAll(setup, (page) => {
    for (const each of page === 0 ? messages.slice(0, 3) : []) setup.fake.mailbox.remove(each)
  })
  expect(listed).toEqual(idsOf(messages))
})

test('listMessages by time: more messages of one second than a page has, lists all', async () => {
  await using setup = await startGraph()
  const ids = idsOf(deliver(setup, 24, 12))
  expect((await listAll(setup)).toSorted()).toEqual(ids.toSorted())
})

test('listMessages by time: damaged messages are left out', async () => {
  await using setup = await startGraph()
  const ids = idsOf(deliver(setup, 20))
  const { damaged } = setup.fake.mailbox
  for (const at of [1, 8, 9, 19]) damaged.add(ids[at] ?? '')
  expect(await listAll(setup)).toEqual(ids.filter((id) => !damaged.has(id)))
})

test('listMessages by time: damaged message among many of one second, is left out', async () => {
  await using setup = await startGraph()
  const ids = idsOf(deliver(setup, 36, 12))
  const { damaged } = setup.fake.mailbox
  for (const at of [6, 19, 23]) damaged.add(ids[at] ?? '')
  const listed = await listAll(setup)
  expect(listed.toSorted()).toEqual(ids.filter((id) => !damaged.has(id)).toSorted())
})

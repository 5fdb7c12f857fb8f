import { afterEach, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { mime } from './api-world.ts'
import { gmailScene, graphScene } from './feeds/provider-scene.ts'

// Provider lists of changes with a damaged entry: without an id, or with a member of another type.

let stack = new AsyncDisposableStack()
afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const delta = 'GET /mailFolders/{mailFolder-id}/messages/delta()'
const list = 'GET /mailFolders/{mailFolder-id}/messages'

/** Damages that a provider's response may have in an entry of a list. */
const damages: [name: string, damage: (entry: Record<string, unknown>) => object | null][] = [
  ['null in its place', () => null],
  ['no id', ({ id: _id, ...rest }) => rest],
  ['an empty id', (entry) => ({ ...entry, id: '' })],
  ['a number as id', (entry) => ({ ...entry, id: 5 })],
]

/**
 * Fault that damages the list entry with an id wherever the entry is in the JSON of a provider's
 * response.
 */
function damagesEntry(id: string, damage: (entry: Record<string, unknown>) => object | null) {
  const reviver = (_key: string, value: unknown) =>
    isEntry(value) && value['id'] === id ? damage(value) : value
  return providerFaults.alters(({ bytes, ...response }) => ({
    ...response,
    bytes: Buffer.from(JSON.stringify(JSON.parse(bytes.toString(), reviver))),
  }))
}

interface PageLinks {
  '@odata.deltaLink'?: string
}

function isEntry(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

test.each(damages)(
  'Gmail: a message of the history with %s, all new messages are announced in the same pass',
  async (_name, damage) => {
    const { gmail, mailbox, scene } = await gmailScene(stack)
    await scene.sync()
    const first = mailbox.deliver(mime('first'))
    gmail.on('history.list', damagesEntry(first.id, damage))
    const second = mailbox.deliver(mime('second'))
    await scene.sync()
    expect(scene.idsOf('messageNew').sort()).toEqual([first.id, second.id].sort())
    expect(scene.lostCursors).toMatchObject([{ failure: 'stale-cursor', incomplete: true }])
    // Expects 4 requests for the damaged page, and 2 pages of the history since the full list.
    expect(gmail.requests('history.list').length).toBe(6)

    const third = mailbox.deliver(mime('third'))
    await scene.sync()
    expect(scene.idsOf('messageNew').at(-1)).toBe(third.id)
    expect(scene.events).toHaveLength(3)
    expect(scene.lostCursors).toHaveLength(1)
  },
)

test('Gmail: a history that is damaged three times, is no reason for a full list', async () => {
  const { gmail, mailbox, scene } = await gmailScene(stack)
  await scene.sync()
  const { id } = mailbox.deliver(mime('new'))
  gmail.on(
    'history.list',
    providerFaults.times(
      3,
      damagesEntry(id, () => ({})),
    ),
  )
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([id])
  expect(scene.lostCursors).toEqual([])
})

test.each(damages)(
  'Graph: a changed message with %s, the other messages of all folders are announced',
  async (_name, damage) => {
    const { graph, mailbox, scene } = await graphScene(stack)
    await scene.sync()
    const first = mailbox.deliver({ raw: Buffer.from(mime('first')) })
    for (const operation of [delta, list])
      graph.server.on(operation, damagesEntry(first.id, damage))
    const second = mailbox.deliver({ raw: Buffer.from(mime('second')) })
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([second.id])
    expect(scene.unreadable).toBeGreaterThan(0)

    const third = mailbox.deliver({ raw: Buffer.from(mime('third')) })
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([second.id, third.id])
    expect(scene.idsOf('messageDeleted')).toEqual([])
  },
)

test.each(damages)(
  'Graph: a message with %s in three responses, its folder is not listed around it',
  async (_name, damage) => {
    const { graph, mailbox, scene } = await graphScene(stack)
    await scene.sync()
    const { id } = mailbox.deliver({ raw: Buffer.from(mime('new')) })
    const inbox = mailbox.folder('inbox').id
    const fault = providerFaults.times(3, damagesEntry(id, damage))
    const lists = graph.server.requests(list).length
    graph.server.on(delta, (request) =>
      decodeURIComponent(request.path).includes(inbox) ? fault(request) : undefined,
    )
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([id])
    expect(graph.server.requests(list)).toHaveLength(lists)
    expect(scene.unreadable).toBe(0)
  },
)

test.each(damages)(
  'Graph: a message with %s until its list has been requested six times, is announced',
  async (_name, damage) => {
    const { graph, mailbox, scene } = await graphScene(stack)
    await scene.sync()
    const { id } = mailbox.deliver({ raw: Buffer.from(mime('new')) })
    graph.server.on(delta, damagesEntry(id, damage))
    // The list of messages is requested with 500, 50 and 10 entries per page, then four times with
    // one entry.
    graph.server.on(list, providerFaults.times(6, damagesEntry(id, damage)))
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([id])
    expect(scene.unreadable).toBe(0)
  },
)

test('Graph: a repaired entry, its message is announced with the next full list', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  await scene.sync()
  const { id } = mailbox.deliver({ raw: Buffer.from(mime('new')) })
  const fault = damagesEntry(id, () => ({}))
  const ends = [delta, list].map((operation) => graph.server.on(operation, fault))
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([])
  for (const end of ends) end()
  graph.clock.advance(86_400_000)
  await scene.sync()
  expect(scene.idsOf('messageNew')).toEqual([id])
})

test('Graph: a folder whose lists have no usable entry, is parked, others are read', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  await scene.sync()
  const inbox = mailbox.folder('inbox').id
  const isOfInbox = ({ path }: { path: string }) => decodeURIComponent(path).includes(inbox)
  const broken = providerFaults.deviates({ status: 200, body: { value: [{}] } })
  for (const operation of [delta, list])
    graph.server.on(operation, (request) => (isOfInbox(request) ? broken(request) : undefined))
  const junk = mailbox.folder('junkemail').id
  const { id } = mailbox.deliver({ raw: Buffer.from(mime('junk')), folderId: junk })
  expect(await scene.sync()).toBeInstanceOf(Date)
  expect(scene.idsOf('messageNew')).toEqual([id])
})

test('Graph: a first list of a folder that expires between two pages, is no lost cursor', async () => {
  const { graph, mailbox, scene } = await graphScene(stack)
  mailbox.deliver({ raw: Buffer.from(mime('old')) })
  const withNextPage = providerFaults.alters(({ bytes, ...response }) => {
    const { '@odata.deltaLink': link, ...page } = JSON.parse(bytes.toString()) as PageLinks
    const json = { ...page, '@odata.nextLink': link }
    return { ...response, bytes: Buffer.from(JSON.stringify(json)) }
  })
  const body = { error: { code: 'SyncStateNotFound', message: 'expired' } }
  const expired = providerFaults.deviates({ status: 410, body })
  graph.server.on(delta, providerFaults.times(1, expired))
  // If the fake Graph has several faults, the fault that was added last applies first.
  graph.server.on(delta, providerFaults.times(1, withNextPage))
  await scene.sync()
  expect(scene.lostCursors).toEqual([])
  graph.server.on(delta, providerFaults.times(1, expired))
  await scene.sync()
  expect(scene.lostCursors).toMatchObject([{ failure: 'stale-cursor' }])
})

test.each(damages)(
  'Gmail: an entry of all lists with %s, the first sync ends and announces the others',
  async (_name, damage) => {
    const { gmail, mailbox, scene } = await gmailScene(stack)
    const first = mailbox.deliver(mime('first'))
    const second = mailbox.deliver(mime('second'))
    const end = gmail.on('messages.list', damagesEntry(first.id, damage))
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([second.id])
    expect(scene.unreadable).toBeGreaterThan(0)
    // The message that was passed over as damaged is announced when the history contains a change
    // of the message.
    end()
    mailbox.modify(first, ['STARRED'], [])
    await scene.sync()
    expect(scene.idsOf('messageNew')).toEqual([second.id, first.id])
  },
)

test.each(damages)(
  'Gmail: an indexed message whose entry has %s in a list, is not deleted, and more lists follow',
  async (_name, damage) => {
    const { gmail, mailbox, scene } = await gmailScene(stack)
    const { id } = mailbox.deliver(mime('indexed'))
    const feeds = scene.openFeeds()
    const { signal } = new AbortController()
    await feeds.sync(signal)
    mailbox.expireHistory()
    const added = mailbox.deliver(mime('added'))
    const end = gmail.on('messages.list', damagesEntry(id, damage))
    const { dueAt } = await feeds.sync(signal)
    expect(scene.idsOf('messageNew')).toEqual([id, added.id])
    expect(scene.idsOf('messageDeleted')).toEqual([])
    expect(dueAt?.getTime()).toBe(scene.time + 60_000)
    end()
    scene.time += 60_000
    expect((await feeds.sync(signal)).dueAt).toBeUndefined()
    expect(scene.events).toHaveLength(2)
  },
)

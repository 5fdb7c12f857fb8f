import { afterAll, expect, test } from '@jest/globals'
import { eventually, faultSize } from '@posthorn/testkit'
import { DeliveryGate } from '@posthorn/testkit/providers'
import { type FakeMailbox, type FakeMessage, faultResponse } from '@posthorn/testkit/graph-fake'
import { auditedGraph } from '../audit/audited-mailbox.ts'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { holdsRequests } from '../audit/hold-requests.ts'
import { MailboxAudit } from '../audit/mailbox-audit.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Faults of Microsoft Graph and of sync-worker. After each fault, the events that a webhook
// receiver got and the stored index are compared with the mailbox.

/**
 * Number of commits of a sync after an outage, each after a Graph request, at which the full test
 * kills sync-worker.
 */
const commits = 16
/** The small test kills sync-worker at each second commit. Each kill needs a mailbox of its own. */
const commitStep = faultSize({ small: 2, full: 1 })
const sweepers = Array.from({ length: commits / commitStep }, (_, at) => `sweep-${at}`)
const names = ['main', 'other', ...sweepers]
const addressOf = (name: string) => `${name}@contoso.example`

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(await startProviderFakes({ mailboxes: names.map(addressOf) }))
const { graph } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: {
      ...fakes.env,
      SVC_API_POLL_INTERVAL: '3s',
      SVC_API_POLL_INTERVAL_WITH_PUSH: '3s',
      SVC_PROVIDER_LIMITS: JSON.stringify({ graph: { accountUnits: 1_000_000 } }),
    },
  }),
)
await world.posthorn.updateSettings({ body: { notificationBaseUrl: world.url } })
const apps = await createApiApps(world)
const dayMs = 86_400_000
const monthMs = 30 * dayMs
const folderCount = 40
const folderMessages = 20
let serial = 0
const source = () => {
  const id = (serial += 1)
  const head = `From: a@example.test\r\nSubject: ${id}\r\nMessage-ID: <${id}@example.test>`
  return Buffer.from(`${head}\r\n\r\nHello\r\n`)
}

/**
 * Registers the account of a Graph mailbox, and compares the mailbox with its events from then on.
 */
async function connect(name: string, fill: (mailbox: FakeMailbox) => void = () => undefined) {
  const mailbox = graph.mailboxOf(addressOf(name))
  fill(mailbox)
  await registerApiAccount(world, { account: name, app: apps.graph, address: addressOf(name) })
  await untilSynced(world, name)
  const delta = graph.deltaOf(mailbox)
  const audited = auditedGraph(mailbox, () => delta.expire())
  return {
    account: name,
    mailbox,
    delta,
    audit: await MailboxAudit.begin(world, name, audited),
  }
}

function deliverOld(mailbox: FakeMailbox, folderId: string, count: number): void {
  for (let at = 0; at < count; at++)
    mailbox.deliver({ raw: source(), folderId, receivedAt: Date.now() - monthMs })
}

const main = await connect('main', (mailbox) => {
  for (let at = 0; at < folderCount; at++)
    deliverOld(mailbox, mailbox.addFolder({ name: `Project ${at}` }).id, folderMessages)
})
const lists = { lists: ['Project 1', 'Posteingang'] }

/** Names of the Graph folders whose messages `change` changes. */
const isChanged = (name: string) => /^(Posteingang|Project ([0-9]|[12][0-9]|3[0-5]))$/.test(name)

/** Returns a function that takes messages for a change, from all Graph folders in turn. */
function taker(mailbox: FakeMailbox) {
  const folders = [...mailbox.folders.values()].filter(({ name }) => isChanged(name))
  const byFolder = folders.map(({ id }) => mailbox.list(id))
  const turns = Math.max(0, ...byFolder.map(({ length }) => length))
  const messages = Array.from({ length: turns }, (_, at) =>
    byFolder.flatMap((folder) => folder[at] ?? []),
  ).flat()
  return (count: number, change: (message: FakeMessage) => void) =>
    messages.splice(0, count).forEach(change)
}

interface ChangeCounts {
  arrived: number
  deleted: number
  moved: number
  read: number
  categorised: number
  /** Number of messages that are moved to another folder and back. */
  returned: number
  /** Number of messages that are moved to another folder, then marked as read. */
  movedAndRead: number
}
const gap: ChangeCounts = {
  arrived: 320,
  deleted: 150,
  moved: 150,
  read: 120,
  categorised: 120,
  returned: 60,
  movedAndRead: 40,
}

function change(mailbox: FakeMailbox, counts: ChangeCounts): void {
  const folders = [...mailbox.folders.values()].filter(({ name }) => isChanged(name))
  const take = taker(mailbox)
  const after = ({ folderId }: FakeMessage, by: number) => {
    const at = folders.findIndex(({ id }) => id === folderId)
    return folders[(at + by) % folders.length]?.id ?? ''
  }
  const read = (message: FakeMessage) => {
    message.isRead = !message.isRead
    mailbox.touch(message, ['isRead'])
  }
  take(counts.deleted, (message) => mailbox.remove(message))
  take(counts.moved, (message) => mailbox.move(message, after(message, 7)))
  take(counts.read, read)
  take(counts.categorised, (message) => {
    message.categories = ['Blue']
    mailbox.touch(message, ['categories'])
  })
  take(counts.returned, (message) => {
    const { folderId } = message
    mailbox.move(message, after(message, 1))
    mailbox.move(message, folderId)
  })
  take(counts.movedAndRead, (message) => {
    mailbox.move(message, after(message, 3))
    read(message)
  })
  for (let at = 0; at < counts.arrived; at++) {
    const folderId = folders[at % folders.length]?.id ?? ''
    mailbox.deliver({ raw: source(), folderId })
    // Messages that are deleted immediately have no events.
    if (at % 8 === 0) mailbox.remove(mailbox.deliver({ raw: source(), folderId }))
  }
}

/**
 * Changes folders of a Graph mailbox: adds a folder with moved messages, renames a folder, and
 * deletes two folders.
 */
function changeFolders(mailbox: FakeMailbox): void {
  const folder = (name: string) => {
    const named = [...mailbox.folders.values()].find((each) => each.name === name)
    if (!named) throw new Error(`no folder ${name}`)
    return named
  }
  const created = mailbox.addFolder({ name: 'Täglich & 😀' })
  for (const message of mailbox.list(folder('Project 36').id)) mailbox.move(message, created.id)
  folder('Project 37').name = 'Renamed'
  mailbox.deleteFolder(folder('Project 38'))
  mailbox.deleteFolder(folder('Project 39'))
  mailbox.deleteFolder(folder('Project 39'))
}

test('a one-hour gap with 1,000 changes in 40 folders: each is announced once, and no move is a loss', async () => {
  const { mailbox, audit } = main
  await world.services.stop('sync-worker')
  change(mailbox, gap)
  changeFolders(mailbox)
  graph.clock.advance(3_600_000)
  await world.services.start('sync-worker')
  const events = await audit.settle(lists)
  const count = (name: string) => events.filter(({ event }) => event === name).length
  const moves = gap.moved + gap.movedAndRead + folderMessages
  expect({
    new: count('messageNew'),
    deleted: count('messageDeleted'),
    updated: count('messageUpdated'),
  }).toEqual({
    new: gap.arrived + moves,
    deleted: gap.deleted + moves + folderMessages,
    updated: gap.read + gap.categorised,
  })
  await audit.compareIndex()
})

test('every notification is lost for a day: polls announce the changes once', async () => {
  const { mailbox, audit } = main
  await eventually(() => expect(subscriptionsOf(mailbox)).toHaveLength(1))
  await audit.restart()
  graph.notifications.faults.losesAll = true
  change(mailbox, { ...few, arrived: 30 })
  graph.clock.advance(dayMs / 2)
  change(mailbox, few)
  graph.clock.advance(dayMs / 2)
  expect(await graph.notifications.send()).toEqual([])
  graph.notifications.faults.losesAll = false
  await audit.settle(lists)
})

const few: ChangeCounts = {
  arrived: 10,
  deleted: 10,
  moved: 10,
  read: 10,
  categorised: 10,
  returned: 5,
  movedAndRead: 5,
}
const subscriptionsOf = (mailbox: FakeMailbox) =>
  [...graph.subscriptions.values()].filter((each) => each.mailbox === mailbox)

test('a subscription that Graph removes is replaced, one that disappears loses no change', async () => {
  const { mailbox, audit } = main
  await audit.restart()
  const first = subscriptionsOf(mailbox)[0]?.id
  change(mailbox, few)
  expect(await graph.notifications.lifecycle(mailbox, 'subscriptionRemoved')).toEqual([202])
  await eventually(() => {
    const ids = subscriptionsOf(mailbox).map(({ id }) => id)
    expect(ids).toEqual([expect.anything()])
    expect(ids).not.toContain(first)
  })
  await audit.settle(lists)
  await audit.restart()
  for (const { id } of subscriptionsOf(mailbox)) graph.subscriptions.delete(id)
  change(mailbox, few)
  await audit.settle(lists)
})

test('a throttled minute: the account stays connected, and each change is announced once', async () => {
  const { mailbox, audit, account } = main
  await audit.restart()
  const minute = graph.clock.now + 60_000
  const refusals = [
    () => ['ApplicationThrottled', '0.5'],
    () => ['TooManyRequests', new Date(Date.now() + 1_000).toUTCString()],
    () => ['ErrorExceededMessageLimit', '1'],
    () => ['ApplicationThrottled', undefined],
  ] as const
  let refused = 0
  const remove = graph.server.on('*', ({ path }) => {
    if (graph.clock.now >= minute || !/users|batch/.test(path)) return undefined
    graph.clock.advance(8_000)
    const [code, delay] = refusals[refused++ % refusals.length]?.() ?? ['']
    const response = faultResponse(429, code ?? '')
    const headers = delay === undefined ? {} : { 'retry-after': delay }
    return { kind: 'reply', response: { ...response, headers } }
  })
  change(mailbox, few)
  const before = world.webhooks().length
  await audit.settle(lists)
  remove()
  expect(refused).toBeGreaterThanOrEqual(8)
  const later = world.webhooks().slice(before)
  const failures = later.filter((hook) => hook.account === account && hook.event.endsWith('Error'))
  expect(failures).toEqual([])
})

test('links of half of the folders expire: each difference is announced once', async () => {
  const { mailbox, audit, delta } = main
  await audit.restart()
  const half = new Set([...mailbox.folders.keys()].filter((_, at) => at % 2 === 0))
  change(mailbox, { ...few, arrived: 40, moved: 40, deleted: 20 })
  delta.expire((folder) => half.has(folder))
  await audit.settle(lists)
  await audit.compareIndex()
})

test('the worker is killed at the commits of a sweep: nothing is lost, repeated or moved twice', async () => {
  // Polls of the account `main` would slow down polls of the other accounts.
  await world.posthorn.deleteAccount({ account: main.account })
  const accounts = await Promise.all(
    sweepers.map((name) =>
      connect(name, (mailbox) => {
        deliverOld(mailbox, mailbox.folder('inbox').id, 30)
        for (const folder of ['Project 1', 'Project 2'])
          deliverOld(mailbox, mailbox.addFolder({ name: folder }).id, 20)
      }),
    ),
  )
  await world.services.stop('sync-worker')
  // More than 50 announced messages need several commits of sync-worker.
  for (const [at, { mailbox }] of accounts.entries())
    change(mailbox, { ...few, arrived: at % 4 === 0 ? 55 : 5 })
  const gate = new DeliveryGate()
  const positions = new Map(
    accounts.map(({ mailbox }, at) => [mailbox.address, at * commitStep + 3]),
  )
  const remove = graph.server.on('*', holdsRequests(positions, gate))
  await world.services.start('sync-worker')
  await eventually(() => expect(gate.waiting).toBe(sweepers.length), { timeoutMs: 150_000 })
  for (const { mailbox } of accounts) change(mailbox, { ...few, arrived: 5, read: 0 })
  await world.services.kill('sync-worker')
  remove()
  gate.open()
  await world.services.start('sync-worker')
  await Promise.all(
    accounts.map(async ({ audit }) => {
      await audit.settle(lists)
      await audit.compareIndex()
    }),
  )
}, 600_000)

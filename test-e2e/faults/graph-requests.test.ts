import { afterAll, expect, test } from '@jest/globals'
import type { PosthornError } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { DeliveryGate, type ProviderFault, type ProviderRequest } from '@posthorn/testkit/providers'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Microsoft Graph: concurrent requests of sync-worker and sender to a mailbox, a sync-worker that
// is killed during uploads, and folders whose messages cannot be listed.

const names = ['one', 'two', 'three'] as const
const uploaders = Array.from({ length: 5 }, (_, at) => `upload-${at}`)
const accounts = [...names, ...uploaders]
const refusals = [
  { name: 'forbidden', response: faultResponse(403, 'ErrorAccessDenied') },
  { name: 'invalid', response: faultResponse(400, 'ErrorInvalidRequest') },
  { name: 'broken', response: faultResponse(500, 'ErrorInternalServerError') },
]
const mailboxes = [...accounts, ...refusals.map(({ name }) => name), 'damaged']
const addressOf = (name: string) => `${name}@contoso.example`
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(
  await startProviderFakes({ mailboxes: mailboxes.map(addressOf), handshakes: false }),
)
const { graph } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'],
    env: { ...fakes.env, SVC_API_POLL_INTERVAL: '1s' },
  }),
)
const { posthorn } = world
const apps = await createApiApps(world)
for (const name of accounts)
  await registerApiAccount(world, { account: name, app: apps.graph, address: addressOf(name) })
for (const name of accounts) await untilSynced(world, name)

const source = (subject: string) =>
  `From: a@example.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.test>\r\n\r\nHello\r\n`

test('three mailboxes, worker and sender together: never more than 4 requests at a time for one of them', async () => {
  const [messages, submissions, requests] = [60, 6, 20]
  for (const name of names)
    for (let at = 0; at < messages; at++)
      graph.mailboxOf(addressOf(name)).deliver({ raw: Buffer.from(source(`${name}-${at}`)) })
  const calls = names.flatMap((account) => [
    ...Array.from({ length: submissions }, (_, at) =>
      posthorn.submitMessage({
        account,
        body: { to: [{ address: 'b@example.test' }], subject: `sent ${at}`, text: 'Hello' },
      }),
    ),
    ...Array.from({ length: requests }, () => posthorn.listMessages({ account, path: 'INBOX' })),
  ])
  await Promise.all<unknown>(calls)
  for (const account of names) {
    const { sent, address } = graph.mailboxOf(addressOf(account))
    await eventually(() => expect(sent).toHaveLength(submissions))
    const arrived = () =>
      world.webhooks().filter((hook) => hook.account === account && hook.event === 'messageNew')
    await eventually(() => expect(arrived().length).toBeGreaterThanOrEqual(messages))
    expect(graph.concurrency.most.get(address)).toBeGreaterThan(1)
  }
  expect([...graph.concurrency.refused]).toEqual([])
})

/**
 * Graph requests of the upload of a draft. Its second file needs an upload session with two slices.
 */
const steps = [
  'POST /mailFolders/{mailFolder-id}/messages',
  'POST /messages/{message-id}/attachments',
  'POST /messages/{message-id}/attachments/createUploadSession',
  'upload',
  'PATCH /messages/{message-id}',
]
const sizes = [2_000_000, 4_500_000]

/** Uploads a draft with large files through the API. Returns the status of the response. */
function largeDraft(account: string): Promise<number> {
  const attachments = sizes.map((size) => ({
    filename: `${size}.bin`,
    content: Buffer.alloc(size, 'x'),
  }))
  const body = { path: '\\Drafts', subject: 'large', text: 'Hello', attachments }
  return posthorn.uploadMessage({ account, body }).then(
    () => 200,
    ({ status }: PosthornError) => status,
  )
}

test('a worker killed after each request of an upload: incomplete drafts are removed and never announced', async () => {
  const mailboxes = uploaders.map((name) => graph.mailboxOf(addressOf(name)))
  const drafts = () =>
    mailboxes.map((mailbox) => mailbox.list(mailbox.folder('drafts').id).map(({ id }) => id))
  const gate = new DeliveryGate()
  const held = new Set<string>()
  const removals = steps.map((operation, at) =>
    graph.server.on(operation, (request) => {
      const name = uploaders[at] ?? ''
      if (!isOf(request, name)) return undefined
      held.add(name)
      return { kind: 'hold', gate }
    }),
  )
  let isKilled = false
  /**
   * Repeats the upload of a draft that ends before its sync-worker is killed: a worker that stands
   * still loses the upload.
   */
  const upload = (name: string) =>
    eventually(
      async () => {
        held.delete(name)
        const status = await largeDraft(name)
        if (!isKilled) throw new Error(`the upload ended with ${status}`)
        return status
      },
      { timeoutMs: 150_000 },
    )
  const uploads = uploaders.map((name) => upload(name))
  await eventually(() => {
    expect(held.size).toBe(steps.length)
    expect(drafts().map((ids) => ids.length)).toEqual(steps.map(() => 1))
  })
  isKilled = true
  await world.services.kill('sync-worker')
  for (const remove of removals) remove()
  gate.open()
  for (const status of await Promise.all(uploads)) expect(status).toBeGreaterThanOrEqual(500)
  const left = drafts()
  expect(left.map((ids) => ids.length)).toEqual(steps.map(() => 1))
  const complete = left.at(-1) ?? []
  await world.services.start('sync-worker')
  // The upload that reached its last request has a complete draft, the other uploads have none.
  const expected = steps.map((_, at) => (at === steps.length - 1 ? complete : []))
  await eventually(() => expect(drafts()).toEqual(expected))
  const last = mailboxes.map((mailbox) => mailbox.deliver({ raw: Buffer.from(source('after')) }))
  await eventually(() => expect(announced(last.map(({ id }) => id))).toHaveLength(steps.length))
  // Drafts are in another folder than the inbox, so the complete draft may be announced later.
  await eventually(() => expect(announced(complete)).toEqual(complete))
  expect(announced(left.flat())).toEqual(complete)
  expect(drafts()).toEqual(expected)
})

/**
 * True for a request to the Graph mailbox of an account, or to an upload session of the mailbox.
 */
function isOf({ path }: ProviderRequest, account: string): boolean {
  const { address } = graph.mailboxOf(addressOf(account))
  const session = graph.uploads.get(path.split('/').at(-1) ?? '')
  return decodeURIComponent(path).includes(`/${address}/`) || session?.mailbox.address === address
}

/**
 * Filters message ids by the received webhooks. Returns the ids that an event names, in the order
 * of the events.
 */
function announced(ids: readonly string[]): string[] {
  return world.webhooks().flatMap(({ event, data }) => {
    const id = String(data['id'])
    return event.startsWith('message') && ids.includes(id) ? [id] : []
  })
}

const list = 'GET /mailFolders/{mailFolder-id}/messages'
let serial = 0
const message = () => Buffer.from(source(`numbered-${(serial += 1)}`))
const announcedBy = (account: string) =>
  world.webhooks().filter((hook) => hook.account === account && hook.event === 'messageNew')

/** Connects an account with a refused folder. Waits until the other folders are synced. */
async function refuseFolder({ name: account, response }: (typeof refusals)[number]) {
  const mailbox = graph.mailboxOf(addressOf(account))
  const [refused, other] = ['Refused', 'Zebra'].map((name) => mailbox.addFolder({ name }).id)
  if (refused === undefined || other === undefined) throw new Error('no folder')
  const month = 30 * 86_400_000
  for (const folderId of [refused, other])
    mailbox.deliver({ raw: message(), folderId, receivedAt: Date.now() - month })
  const fault: ProviderFault = ({ path }) =>
    decodeURIComponent(path).includes(refused) ? { kind: 'reply', response } : undefined
  const ends = [`${list}/delta()`, list].map((operation) => graph.server.on(operation, fault))

  await registerApiAccount(world, { account, app: apps.graph, address: addressOf(account) })
  await untilSynced(world, account)
  await world.webhook((hook) => hook.account === account && hook.event === 'accountInitialized')
  await eventually(async () =>
    expect(await posthorn.getAccount({ account })).toMatchObject({
      state: 'connected',
      syncError: { path: 'Refused' },
    }),
  )
  await posthorn.submitMessage({
    account,
    body: { to: [{ address: 'b@example.test' }], subject: 'sent', text: 'Hello' },
  })
  await eventually(() => expect(mailbox.sent).toHaveLength(1))

  const announcedIn = (path: string) => announcedBy(account).filter((hook) => hook.path === path)
  mailbox.deliver({ raw: message(), folderId: other })
  // The clock of the Graph fake stands still: without a time, the message would be older than the
  // account.
  mailbox.deliver({ raw: message(), folderId: refused, receivedAt: Date.now() + 1_000 })
  await eventually(() => expect(announcedIn('Zebra')).toHaveLength(1))
  expect(announcedIn('Refused')).toEqual([])

  for (const end of ends) end()
  // The requested sync ends the delay after which the refused folder is tried again.
  await posthorn.syncAccount({ account, body: { sync: true } })
  await eventually(() => expect(announcedIn('Refused')).toHaveLength(1))
  await eventually(async () =>
    expect((await posthorn.getAccount({ account })).syncError).toBeUndefined(),
  )
}

test('folders that are forbidden, invalid and broken, each in a mailbox: delay nothing', async () => {
  // Polls of accounts from earlier tests would slow down polls of the accounts of this test.
  await Promise.all(accounts.map((account) => posthorn.deleteAccount({ account })))
  await Promise.all(refusals.map((refusal) => refuseFolder(refusal)))
})

test('damaged messages in the inbox: all other messages are announced', async () => {
  const account = 'damaged'
  const mailbox = graph.mailboxOf(addressOf(account))
  const deliver = () => mailbox.deliver({ raw: message(), receivedAt: Date.now() + 1_000 }).id
  const damage = () => void mailbox.damaged.add(deliver())
  damage()
  await registerApiAccount(world, { account, app: apps.graph, address: addressOf(account) })
  await untilSynced(world, account)
  const announcedIds = () => announcedBy(account).map(({ data }) => data['id'])
  const first = deliver()
  await eventually(() => expect(announcedIds()).toEqual([first]))
  damage()
  const second = deliver()
  await eventually(() => expect(announcedIds()).toEqual([first, second]))
  const { state, syncError } = await posthorn.getAccount({ account })
  expect([state, syncError]).toEqual(['connected', undefined])
})

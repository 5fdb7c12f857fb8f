import { afterAll, expect, test } from '@jest/globals'
import type { PosthornError } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { DeliveryGate, type ProviderRequest } from '@posthorn/testkit/providers'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Requests of sync-worker and sender to the same mailboxes of Microsoft Graph, and uploads of a
// sync-worker that is killed.

const names = ['one', 'two', 'three'] as const
const uploaders = Array.from({ length: 5 }, (_, at) => `upload-${at}`)
const accounts = [...names, ...uploaders]
const addressOf = (name: string) => `${name}@contoso.example`
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(
  await startProviderFakes({ mailboxes: accounts.map(addressOf), handshakes: false }),
)
const { graph } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'],
    env: fakes.env,
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

import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import { DeliveryGate, providerFaults } from '@posthorn/testkit/providers'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Requests of sync-worker and sender to the same mailboxes of Microsoft Graph, and uploads of a
// worker that is killed.

const names = ['one', 'two', 'three'] as const
const addressOf = (name: string) => `${name}@contoso.example`
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(
  await startProviderFakes({ mailboxes: names.map(addressOf), handshakes: false }),
)
const { graph } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'],
    env: fakes.env,
  }),
)
const { client } = world
const apps = await createApiApps(client)
for (const name of names)
  await registerApiAccount(world, { account: name, app: apps.graph, address: addressOf(name) })
for (const name of names) await untilSynced(world, name)

const source = (subject: string) =>
  `From: a@example.test\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.test>\r\n\r\nHello\r\n`

test('three mailboxes, worker and sender together: never more than 4 requests at a time for one of them', async () => {
  const [messages, submissions, requests] = [60, 6, 20]
  for (const name of names)
    for (let at = 0; at < messages; at++)
      graph.mailboxOf(addressOf(name)).deliver({ raw: Buffer.from(source(`${name}-${at}`)) })
  const calls = names.flatMap((account) => [
    ...Array.from({ length: submissions }, (_, at) =>
      client.call(operations.submitMessage, {
        params: { account },
        body: { to: [{ address: 'b@example.test' }], subject: `sent ${at}`, text: 'Hello' },
      }),
    ),
    ...Array.from({ length: requests }, () =>
      client.call(operations.listMessages, { params: { account }, query: { path: 'INBOX' } }),
    ),
  ])
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  for (const account of names) {
    const { sent, address } = graph.mailboxOf(addressOf(account))
    await eventually(() => expect(sent).toHaveLength(submissions), { timeoutMs: 60_000 })
    const arrived = () =>
      world.webhooks().filter((hook) => hook.account === account && hook.event === 'messageNew')
    await eventually(() => expect(arrived().length).toBeGreaterThanOrEqual(messages), {
      timeoutMs: 60_000,
    })
    expect(graph.concurrency.most.get(address)).toBeGreaterThan(1)
  }
  expect([...graph.concurrency.refused]).toEqual([])
}, 180_000)

test('a worker killed during an upload: its incomplete draft is removed and never announced', async () => {
  const [account] = names
  const mailbox = graph.mailboxOf(addressOf(account))
  const drafts = () => mailbox.list(mailbox.folder('drafts').id)
  const file = { filename: 'large.bin', content: Buffer.alloc(8_000_000, 'x').toString('base64') }
  const gate = new DeliveryGate()
  const remove = graph.server.on('upload', providerFaults.holds(gate))
  const upload = client.call(operations.uploadMessage, {
    params: { account },
    body: { path: '\\Drafts', subject: 'large', text: 'Hello', attachments: [file] },
  })
  await eventually(() => expect(gate.waiting).toBe(1), { timeoutMs: 30_000 })
  await world.services.kill('sync-worker')
  remove()
  gate.open()
  expect((await upload).status).toBeGreaterThanOrEqual(500)
  const [draft] = drafts()
  expect(draft?.content.internetMessageId).toMatch(/^<incomplete\./)
  await world.services.start('sync-worker')
  await eventually(() => expect(drafts()).toEqual([]), { timeoutMs: 90_000 })
  const last = mailbox.deliver({ raw: Buffer.from(source('after')) })
  const events = await eventually(() => {
    const own = world.webhooks().filter((hook) => hook.account === account)
    return own.some(({ data }) => data['id'] === last.id) ? own : false
  })
  expect(events.filter(({ data }) => data['id'] === draft?.id)).toEqual([])
}, 180_000)

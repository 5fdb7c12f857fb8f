import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { ProviderFault } from '@posthorn/testkit/providers'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Folders of Microsoft Graph whose messages cannot be listed, while other folders can.

const refusals = [
  { name: 'forbidden', response: faultResponse(403, 'ErrorAccessDenied') },
  { name: 'invalid', response: faultResponse(400, 'ErrorInvalidRequest') },
  { name: 'broken', response: faultResponse(500, 'ErrorInternalServerError') },
]
const addressOf = (name: string) => `${name}@contoso.example`
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(
  await startProviderFakes({
    mailboxes: [...refusals.map(({ name }) => addressOf(name)), addressOf('damaged')],
    handshakes: false,
  }),
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
const list = 'GET /mailFolders/{mailFolder-id}/messages'
const delta = `${list}/delta()`

let serial = 0
function source(): Buffer {
  const id = (serial += 1)
  return Buffer.from(
    `From: a@b.example\r\nSubject: ${id}\r\nMessage-ID: <${id}@b.example>\r\n\r\nx`,
  )
}

test.each(refusals)(
  'a folder that is $name delays nothing',
  async ({ name: account, response }) => {
    const mailbox = graph.mailboxOf(addressOf(account))
    const [refused, other] = ['Refused', 'Zebra'].map((name) => mailbox.addFolder({ name }).id)
    if (refused === undefined || other === undefined) throw new Error('no folder')
    const month = 30 * 86_400_000
    for (const folderId of [refused, other])
      mailbox.deliver({ raw: source(), folderId, receivedAt: Date.now() - month })
    const fault: ProviderFault = ({ path }) =>
      decodeURIComponent(path).includes(refused) ? { kind: 'reply', response } : undefined
    const ends = [delta, list].map((operation) => graph.server.on(operation, fault))

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

    const announced = (path: string) =>
      world
        .webhooks()
        .filter((hook) => hook.account === account && hook.event === 'messageNew')
        .filter((hook) => hook.path === path)
    mailbox.deliver({ raw: source(), folderId: other })
    // The clock of the Graph fake stands still: without a time, the message would be older than the
    // account.
    mailbox.deliver({ raw: source(), folderId: refused, receivedAt: Date.now() + 1_000 })
    await eventually(() => expect(announced('Zebra')).toHaveLength(1))
    expect(announced('Refused')).toEqual([])

    for (const end of ends) end()
    // The requested sync ends the delay after which the refused folder is tried again.
    await posthorn.syncAccount({ account, body: { sync: true } })
    await eventually(() => expect(announced('Refused')).toHaveLength(1))
    await eventually(async () =>
      expect((await posthorn.getAccount({ account })).syncError).toBeUndefined(),
    )
  },
)

test('damaged messages in the inbox: all other messages are announced', async () => {
  const account = 'damaged'
  const mailbox = graph.mailboxOf(addressOf(account))
  const deliver = () => mailbox.deliver({ raw: source(), receivedAt: Date.now() + 1_000 }).id
  const damage = () => void mailbox.damaged.add(deliver())
  damage()
  await registerApiAccount(world, { account, app: apps.graph, address: addressOf(account) })
  await untilSynced(world, account)
  const announced = () =>
    world
      .webhooks()
      .filter((hook) => hook.account === account && hook.event === 'messageNew')
      .map(({ data }) => data['id'])
  const first = deliver()
  await eventually(() => expect(announced()).toEqual([first]))
  damage()
  const second = deliver()
  await eventually(() => expect(announced()).toEqual([first, second]))
  const { state, syncError } = await posthorn.getAccount({ account })
  expect([state, syncError]).toEqual(['connected', undefined])
})

import { afterAll, afterEach, expect, test } from '@jest/globals'
import { updateMessage } from '@posthorn/contracts/commands/message-changes'
import { eventually } from '@posthorn/testkit'
import { startGraphFake } from '@posthorn/testkit/graph-fake'
import { VirtualClock } from '@posthorn/testkit/providers'
import { mime } from './api-world.ts'
import { testWorld } from './world.ts'

// A worker with accounts of shared mailboxes at the fake of Graph. auth-bridge, which decides whose
// token is used, has separate tests.

const [member, team] = ['ann@mail.example', 'team@mail.example']
const world = await testWorld()
const graph = await startGraphFake({
  mailboxes: [member, team],
  clock: new VirtualClock(new Date()),
  handshakes: false,
})
const shared = graph.mailboxes[1] as (typeof graph.mailboxes)[number]
await world.db
  .insertInto('settings')
  .values({ key: 'notificationBaseUrl', value: JSON.stringify('https://posthorn.example') })
  .execute()
afterEach(async () => {
  // The workers are stopped first, because a running worker would use the fake of Graph for the
  // next test.
  await world.reset()
  Object.assign(graph.faults, { appOnly: false, delegatedShared: false })
  graph.subscriptions.clear()
  graph.server.log.length = 0
})
afterAll(async () => {
  await world.close()
  await graph[Symbol.asyncDispose]()
})

/**
 * Registers an account that logs in as a user at Graph. Returns the account id, once the account is
 * connected.
 */
async function connect(login: { user: string; own?: true }): Promise<string> {
  const account = await world.registerApi('graph', login)
  await world.connected(account)
  return account
}

const startWorker = () =>
  world.startWorker({
    providerOrigins: graph.origins,
    oauthEgressPolicy: 'off',
    apiPollMs: 200,
    apiPollNotifiedMs: 200,
  })
const announced = async (account: string) =>
  (await world.events(account, 'messageNew')).map(({ data }) => data['id'])
const roots = () => [
  ...new Set(graph.server.log.map(({ path }) => path.split('/').slice(2, 4).join('/'))),
]

test('shared mailbox by permission of an application: watched, read and changed by its address', async () => {
  graph.faults.appOnly = true
  await startWorker()
  const account = await connect({ user: team })
  await eventually(() =>
    expect([...graph.subscriptions.values()]).toMatchObject([
      { mailbox: { address: team }, resource: expect.stringContaining(encodeURIComponent(team)) },
    ]),
  )
  const message = shared.deliver({ raw: Buffer.from(mime('shared')) })
  await eventually(async () => expect(await announced(account)).toEqual([message.id]))
  const update = { flags: { add: ['\\Flagged'] } }
  await world.ask(updateMessage, account, { message: message.id, update })
  expect(message.flagStatus).toBe('flagged')
  expect(roots().some((root) => root.startsWith('me'))).toBe(false)
})

test('shared mailbox by delegated permission: refused subscription is reported once, mail is polled', async () => {
  graph.faults.delegatedShared = true
  await startWorker()
  const account = await connect({ user: team })
  const [refused] = await world.expectEvents(account, ['connectError'], 1)
  expect(refused?.data).toMatchObject({ serverResponseCode: 'SubscriptionSetupError' })
  const message = shared.deliver({ raw: Buffer.from(mime('polled')) })
  await eventually(async () => expect(await announced(account)).toEqual([message.id]))
  expect((await world.state(account))?.state).toBe('connected')
  expect(await world.events(account, 'connectError')).toHaveLength(1)
})

test("shared mailbox by another account's grant: both accounts announce their own messages", async () => {
  await startWorker()
  const owner = await connect({ user: member, own: true })
  const account = await connect({ user: team })
  const own = graph.mailbox.deliver({ raw: Buffer.from(mime('own')) })
  const theirs = shared.deliver({ raw: Buffer.from(mime('shared')) })
  await eventually(async () => expect(await announced(owner)).toEqual([own.id]))
  await eventually(async () => expect(await announced(account)).toEqual([theirs.id]))
  expect(roots()).toEqual(
    expect.arrayContaining(['me/mailFolders', `users/${encodeURIComponent(team)}`]),
  )
})

import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld, untilConnected } from '../world.ts'

// Accounts whose address is an alias of a Gmail user, or was changed after the registration. Gmail
// refuses such addresses in the paths of its API.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(await startProviderFakes({ mailboxes: ['ann@contoso.example'] }))
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: fakes.env,
  }),
)
const { client } = world
const { gmail } = fakes
const apps = await createApiApps(client)
const source = (subject: string) => plainMessage({ messageId: freshMessageId(), subject })
/** Frames of the change feed, read from its beginning. */
const feed = new AbortController()
stack.defer(() => feed.abort())
let frames = ''
const response = await fetch(`${world.url}/v1/changes`, {
  headers: { authorization: `Bearer ${world.token}`, accept: 'text/event-stream' },
  signal: feed.signal,
})
void (async () => {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) frames += decoder.decode(chunk as Uint8Array)
})().catch(() => undefined)

const isReported = (account: string, address: string) =>
  frames
    .split('\n')
    .some(
      (line) =>
        line.includes(`"${account}"`) &&
        line.includes('"type":"address"') &&
        line.includes(`"${address}"`),
    )

async function register(account: string, user: string): Promise<void> {
  const body = { account, name: 'Jane', oauth2: { provider: apps.gmail, auth: { user } } }
  expect(await client.call(operations.createAccount, { body })).toMatchObject({ status: 200 })
  await untilConnected(client, account)
}

const subjects = async (account: string) => {
  const query = { path: 'INBOX' }
  const { body } = await client.call(operations.listMessages, { params: { account }, query })
  return (body.messages as { subject: string }[]).map(({ subject }) => subject)
}
const addressOf = async (account: string) =>
  (await client.call(operations.getAccount, { params: { account } })).body.oauth2.mailboxAddress

test('an alias of a Gmail user is connected, and its mailbox reported', async () => {
  const mailbox = gmail.addMailbox('jane@workspace.example')
  gmail.aliases.set('sales@workspace.example', mailbox.address)
  mailbox.deliver(source('to the alias'))
  await register('alias', 'sales@workspace.example')
  expect(await subjects('alias')).toEqual(['to the alias'])
  expect(await addressOf('alias')).toBe(mailbox.address)
  await eventually(() => expect(isReported('alias', mailbox.address)).toBe(true))
  const verified = await client.call(operations.checkOAuth2App, {
    params: { app: apps.gmail },
    body: { account: 'alias' },
  })
  expect(verified.body).toMatchObject({ ok: true, failedStep: null })
})

test('a renamed Gmail user stays connected, and the new address is reported', async () => {
  const mailbox = gmail.addMailbox('miller@workspace.example')
  mailbox.deliver(source('before'))
  await register('renamed', mailbox.address)
  expect(await addressOf('renamed')).toBeUndefined()
  gmail.rename(mailbox, 'smith@workspace.example')
  mailbox.deliver(source('after'))
  await world.webhook(({ account, data }) => account === 'renamed' && data.subject === 'after')
  await client.call(operations.reconnectAccount, {
    params: { account: 'renamed' },
    body: { reconnect: true },
  })
  await eventually(() => expect(isReported('renamed', 'smith@workspace.example')).toBe(true))
  await untilConnected(client, 'renamed')
  expect(await addressOf('renamed')).toBe('smith@workspace.example')
})

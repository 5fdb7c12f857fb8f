import { afterAll, expect, test } from '@jest/globals'
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
const { posthorn } = world
const { gmail } = fakes
const apps = await createApiApps(world)
const source = (subject: string) => plainMessage({ messageId: freshMessageId(), subject })
/** Changes of all accounts in the API's stream of changes, beginning with the first change. */
const changes: unknown[] = []
const feed = new AbortController()
stack.defer(() => feed.abort())
void (async () => {
  const { signal } = feed
  for await (const change of posthorn.changes({ lastEventId: '0-0' }, { signal }))
    changes.push(change)
})().catch(() => undefined)

/** Waits until the API's stream of changes reports the new address of an account. */
const untilReported = (account: string, address: string) =>
  eventually(() => {
    const reported = expect.objectContaining({ account, type: 'address', key: address })
    expect(changes).toContainEqual(reported)
  })

async function register(account: string, user: string): Promise<void> {
  const body = { account, name: 'Jane', oauth2: { provider: apps.gmail, auth: { user } } }
  await posthorn.createAccount({ body })
  await untilConnected(world, account)
}

const subjects = async (account: string) => {
  const { messages } = await posthorn.listMessages({ account, path: 'INBOX' })
  return messages.map(({ subject }) => subject)
}
const addressOf = async (account: string) =>
  (await posthorn.getAccount({ account })).oauth2?.mailboxAddress

test('an alias of a Gmail user is connected, and its mailbox reported', async () => {
  const mailbox = gmail.addMailbox('jane@workspace.example')
  gmail.aliases.set('sales@workspace.example', mailbox.address)
  mailbox.deliver(source('to the alias'))
  await register('alias', 'sales@workspace.example')
  expect(await subjects('alias')).toEqual(['to the alias'])
  expect(await addressOf('alias')).toBe(mailbox.address)
  await untilReported('alias', mailbox.address)
  const verified = await posthorn.checkOAuth2App({ app: apps.gmail, body: { account: 'alias' } })
  expect(verified).toMatchObject({ ok: true, failedStep: null })
})

test('a renamed Gmail user stays connected, and the new address is reported', async () => {
  const mailbox = gmail.addMailbox('miller@workspace.example')
  mailbox.deliver(source('before'))
  await register('renamed', mailbox.address)
  expect(await addressOf('renamed')).toBeUndefined()
  gmail.rename(mailbox, 'smith@workspace.example')
  mailbox.deliver(source('after'))
  await world.webhook(({ account, data }) => account === 'renamed' && data.subject === 'after')
  await posthorn.reconnectAccount({ account: 'renamed', body: { reconnect: true } })
  await untilReported('renamed', 'smith@workspace.example')
  await untilConnected(world, 'renamed')
  expect(await addressOf('renamed')).toBe('smith@workspace.example')
})

import { operations } from '@posthorn/contracts'
import { eventually, tableBytes, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import type { World } from '../world.ts'
import { fillInbox } from './fill-mailbox.ts'
import type { Row } from './report.ts'

const count = 100_000
const allowedBytes = 2

/** Registration → `accountInitialized` of an account with a large inbox, and what its index takes, against a bare client that fetches all UIDs and flags. */
export async function benchFirstSync(world: World): Promise<Row[]> {
  const user = world.mail.freshUser('large')
  const client = await logIn(user)
  const messages = await fillInbox(client, count)
  await client.logout()
  const bare = await fetchAll(user)

  const before = await indexBytes(world)
  const from = Date.now()
  await world.register('large', user)
  const done = await world.webhook(
    ({ account, event }) => account === 'large' && event === 'accountInitialized',
    300_000,
  )
  const ours = done.request.receivedAt.getTime() - from
  const bytes = (await indexBytes(world)) - before
  await deleteAccount(world, 'large')
  return [
    {
      what: `first sync of ${messages} messages, registration → accountInitialized received`,
      ours,
      reference: bare,
      unit: ' ms',
      referenceIs: 'bare client logs in and fetches UIDs and flags',
    },
    {
      what: 'index in Postgres, bytes a message',
      ours: bytes / messages,
      reference: allowedBytes,
      unit: ' B',
      referenceIs: 'what is allowed',
    },
  ]
}

/** Milliseconds that a bare client takes from login to the last flag. */
async function fetchAll(user: TestUser): Promise<number> {
  const from = performance.now()
  const client = await logIn(user)
  await client.mailboxOpen('INBOX', { readOnly: true })
  let fetched = 0
  for await (const message of client.fetch('1:*', { uid: true, flags: true }))
    if (message.uid > 0) fetched++
  const ms = performance.now() - from
  await client.logout()
  if (fetched < count) throw new Error(`${fetched} of ${count} messages were fetched`)
  return ms
}

function indexBytes({ ownerUrl }: World): Promise<number> {
  return tableBytes(ownerUrl, ['mailboxes', 'mailbox_chunks', 'announced_messages'])
}

async function deleteAccount({ client }: World, account: string): Promise<void> {
  await client.call(operations.deleteAccount, { params: { account } })
  await eventually(async () => {
    const { status } = await client.call(operations.getAccount, { params: { account } })
    if (status !== 404) throw new Error('the account is still there')
    return true as const
  })
}

import { operations } from '@posthorn/contracts'
import { eventually, tableBytes } from '@posthorn/testkit'
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

  await client.mailboxOpen('INBOX', { readOnly: true })
  const bareFrom = performance.now()
  let fetched = 0
  for await (const message of client.fetch('1:*', { uid: true, flags: true }))
    if (message.uid > 0) fetched++
  const bare = performance.now() - bareFrom
  await client.logout()

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
      referenceIs: `bare client fetches UIDs and flags of ${fetched}`,
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

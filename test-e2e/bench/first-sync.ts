import type { PosthornError } from '@posthorn/client'
import { eventually, tableBytes, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import type { World } from '../world.ts'
import { fillInbox } from './fill-mailbox.ts'
import type { Row } from './report.ts'

const count = 100_000
const allowedBytes = 2

/**
 * Measures the time from the registration of a large INBOX to `accountInitialized`, and the size of
 * the index. Compares the time with a plain client that fetches all UIDs and flags.
 */
export async function benchFirstSync(world: World): Promise<Row[]> {
  const user = world.mail.freshUser('large')
  const client = await logIn(user)
  const messages = await fillInbox(client, count)
  await client.logout()
  const plain = await fetchAll(user)

  const before = await indexBytes(world)
  const from = Date.now()
  await world.register('large', user)
  const done = await world.webhook(
    ({ account, event }) => account === 'large' && event === 'accountInitialized',
    300_000,
  )
  const measured = done.request.receivedAt.getTime() - from
  const bytes = (await indexBytes(world)) - before
  await deleteAccount(world, 'large')
  return [
    {
      what: `initial sync of ${messages} messages, registration → accountInitialized received`,
      measured,
      reference: plain,
      unit: ' ms',
      referenceIs: 'plain client: login, fetch of UIDs and flags',
    },
    {
      what: 'index in Postgres, bytes per message',
      measured: bytes / messages,
      reference: allowedBytes,
      unit: ' B',
      referenceIs: 'limit',
    },
  ]
}

/** Time of a plain IMAP client from login to the last flag of the INBOX, in milliseconds. */
async function fetchAll(user: TestUser): Promise<number> {
  const from = performance.now()
  const client = await logIn(user)
  await client.mailboxOpen('INBOX', { readOnly: true })
  let fetched = 0
  for await (const message of client.fetch('1:*', { uid: true, flags: true }))
    if (message.uid > 0) fetched++
  const ms = performance.now() - from
  await client.logout()
  if (fetched < count) throw new Error(`fetched ${fetched} of ${count} messages`)
  return ms
}

function indexBytes({ ownerUrl }: World): Promise<number> {
  return tableBytes(ownerUrl, ['mailboxes', 'mailbox_chunks', 'announced_messages'])
}

async function deleteAccount({ posthorn }: World, account: string): Promise<void> {
  await posthorn.deleteAccount({ account })
  await eventually(() =>
    posthorn.getAccount({ account }).then(
      () => false,
      ({ status }: PosthornError) => status === 404,
    ),
  )
}

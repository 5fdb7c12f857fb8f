import { eventually, type TestUser } from '@posthorn/testkit'
import { registration, type World } from '../world.ts'
import { connectPlainClients } from './plain-clients.ts'
import type { Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'

const count = 1_000
const atOnce = 16

/**
 * Measures the time to connect many accounts and the memory of sync-worker per idle account.
 * Compares them with plain IMAP clients in IDLE in one process.
 */
export async function benchAccounts(world: World): Promise<Row[]> {
  const users = Array.from({ length: count }, () => world.mail.freshUser('idle'))
  const reference = await connectPlainClients(users)
  const pid = world.services.pids['sync-worker'] ?? 0
  const before = await residentBytes(pid)
  const from = performance.now()
  await registerAll(world, users)
  await eventually(() => countConnected(world), { timeoutMs: 600_000 })
  const ms = performance.now() - from
  const bytes = ((await residentBytes(pid)) - before) / count
  return [
    {
      what: `${count} accounts, registration → all connected (including the initial sync of five empty mailboxes)`,
      measured: ms / 1_000,
      reference: reference.ms / 1_000,
      unit: ' s',
      referenceIs: 'plain clients logged in and in IDLE',
    },
    {
      what: 'memory of an idle connected account, sync-worker',
      measured: bytes / 1_000,
      reference: reference.bytes / 1_000,
      unit: ' kB',
      referenceIs: 'plain client in IDLE',
    },
  ]
}

async function registerAll({ posthorn }: World, users: readonly TestUser[]): Promise<void> {
  const waiting = users.map((user, n) => registration(`idle-${n}`, user))
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let body = waiting.pop(); body; body = waiting.pop())
        await posthorn.createAccount({
          body: { ...body, imap: { ...body.imap, resyncDelay: 900 } },
        })
    }),
  )
}

async function countConnected({ posthorn }: World): Promise<true> {
  const query = { state: 'connected', query: 'idle-', pageSize: 1 } as const
  const { total } = await posthorn.listAccounts(query)
  if (total < count) throw new Error(`${total} of ${count} are connected`)
  return true
}

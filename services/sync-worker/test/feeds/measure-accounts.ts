import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiFolder, MailApi } from '@posthorn/backends/mail-api'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { apiWorld } from '../api-world.ts'

// Prints the memory of idle accounts at a mail API and the time to connect 1,000 accounts: `node
// --expose-gc services/sync-worker/test/feeds/measure-accounts.ts`, with the servers of the tests.
// The mailboxes are empty.

const count = 1_000

const folders: ApiFolder[] = ['INBOX', 'SENT', 'DRAFT', 'SPAM', 'TRASH'].map((id) => ({
  id,
  path: [id],
  editable: false,
  assignable: true,
}))

const empty = {
  traits: { placement: 'labels', appends: 'all', removes: false, maxSentBytes: 1 },
  profile: async () => ({ address: 'jane@mail.example' }),
  folders: async () => folders,
  feeds: () => [{ id: 'mailbox' }],
  listIds: async () => ({ entries: [] }),
  changes: async (_feed: unknown, { cursor }: { cursor?: string }) => ({
    full: cursor === undefined,
    changed: [],
    removed: [],
    cursor: '1',
    complete: true,
  }),
} as unknown as MailApi

/**
 * Bytes of reachable objects in memory, without buffers: buffers of sockets vary by some megabytes.
 */
function heapBytes(): number {
  for (let run = 0; run < 4; run++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

const world = await apiWorld()
try {
  await world.startApiWorker(
    { apiPollMs: 3_600_000 },
    {
      createMailApis: () => ({
        gmail: (access) => ({
          ...empty,
          profile: async (signal) => {
            await access.login({ fresh: false, signal })
            return empty.profile(signal)
          },
        }),
      }),
    },
  )
  const connect = async (total: number) => {
    while (world.credentials.size < total) await world.insertAccount(randomUUID(), 'labels')
    await eventually(
      async () => {
        const { rows } = await sql<{ n: number }>`
          select count(*)::int as n from account_states where state = 'connected'`.execute(world.db)
        if ((rows[0]?.n ?? 0) < total) throw new Error(`${rows[0]?.n ?? 0} connected`)
      },
      { timeoutMs: 120_000 },
    )
  }
  await connect(50)
  await delay(15_000)
  const before = heapBytes()
  const startedAt = performance.now()
  await connect(50 + count)
  const seconds = (performance.now() - startedAt) / 1_000
  // Waits until the timers of HTTP requests, which end after 10 s, are released.
  await delay(15_000)
  const perAccount = (heapBytes() - before) / count
  print(`${(perAccount / 1_024).toFixed(1)} kB per idle account`)
  print(`${count} accounts registered and connected in ${seconds.toFixed(1)} s`)
} finally {
  await world.close()
}

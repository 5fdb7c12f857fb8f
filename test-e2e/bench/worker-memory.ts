import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@posthorn/testkit'
import { productionIntervals } from '../intervals.ts'
import { startWorld, type World } from '../world.ts'
import { buildBundle } from './build-bundle.ts'
import { containerOptions } from './container-options.ts'
import type { Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'
import { startPart } from './start-part.ts'
import type { TlsClientsRequest } from './tls-clients-main.ts'

const count = 1_000
const atOnce = 16
/**
 * Time in milliseconds after which a started process has returned the memory of its start to the
 * operating system.
 */
const settleMs = 15_000
/**
 * Time in milliseconds after the reads of messages, in which the process should return their memory
 * to the operating system.
 */
const returnMs = 60_000

/**
 * Measures the resident memory of one sync-worker of the image per 1,000 accounts at a server with
 * TLS: idle, after a page and a message of each account were read, and one minute later. Compares
 * it with bare clients in IDLE, one client per account.
 */
export async function benchWorkerMemory(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPart('imap-accounts-main.ts'))
  const clients = stack.use(await startPart('tls-clients-main.ts'))
  const request: TlsClientsRequest = { port: server.port, count }
  const reference = await clients.request<number>(request)
  const world = stack.use(
    await startWorld({
      bundle: await buildBundle(stack),
      names: ['api-gateway', 'auth-bridge', 'sync-worker'],
      env: productionIntervals,
      envByService: await containerOptions(),
    }),
  )
  const pid = world.services.pids['sync-worker'] ?? 0
  await delay(settleMs)
  const before = await residentBytes(pid)
  const row = async (when: string): Promise<Row> => ({
    what: `sync-worker, memory of ${count} accounts over TLS, ${when}`,
    measured: ((await residentBytes(pid)) - before) / count / 1_000,
    reference: reference / 1_000,
    unit: ' MB per 1,000',
    referenceIs: 'bare imapflow clients in IDLE',
  })
  const accounts = Array.from({ length: count }, (_, n) => `tls-${n}`)
  await forAll(accounts, (account) => register(world, account, server.port))
  await eventually(() => expectConnected(world), { timeoutMs: 600_000 })
  await delay(returnMs)
  const idle = await row('idle')
  await forAll(accounts, (account) => readOnce(world, account))
  const read = await row('each read once')
  await delay(returnMs)
  return [idle, read, await row('one minute after the reads')]
}

async function forAll(
  accounts: readonly string[],
  run: (account: string) => Promise<void>,
): Promise<void> {
  const waiting = [...accounts]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let account = waiting.pop(); account; account = waiting.pop()) await run(account)
    }),
  )
}

async function register({ posthorn }: World, account: string, port: number): Promise<void> {
  const auth = { user: account, pass: 'secret' }
  const tls = { rejectUnauthorized: false } // self-signed certificate
  const imap = { host: '127.0.0.1', port, secure: true, auth, tls, resyncDelay: 900 }
  await posthorn.createAccount({
    body: { account, name: 'Jane Doe', email: `${account}@mail.test`, imap },
  })
}

async function expectConnected({ posthorn }: World): Promise<true> {
  const { total } = await posthorn.listAccounts({ state: 'connected', pageSize: 1 })
  if (total < count) throw new Error(`${total} of ${count} are connected`)
  return true
}

async function readOnce({ posthorn }: World, account: string): Promise<void> {
  const { messages } = await posthorn.listMessages({ account, path: 'INBOX' })
  await posthorn.getMessage({ account, message: messages[0]?.id ?? '' })
}

import { setTimeout as delay } from 'node:timers/promises'
import { operations } from '@posthorn/contracts'
import { registration, type World } from '../world.ts'
import type { Holding } from './imap-clients-main.ts'
import type { ImapAddress } from './imap-line.ts'
import type { Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'
import { startPart } from './start-part.ts'

const sessions = 5_000
/** For garbage to be collected and buffers to be let go. */
const settleMs = 10_000

/** What a session that waits costs the door, beside a bare relay. */
export async function compareMemory(world: World, { port, tls }: ImapAddress): Promise<Row> {
  await using server = await startPart('quiet-imap-main.ts')
  await using relay = await startPart('bare-relay-main.ts', [
    String(server.port),
    tls ? 'tls' : 'clear',
  ])
  const account = `quiet-${String(tls)}`
  const user = { ...world.mail.freshUser('quiet'), imapPort: server.port }
  await world.client.call(operations.createAccount, { body: registration(account, user) })
  const { body } = await world.client.call(operations.createToken, {
    body: { account, scopes: ['imap-proxy'], description: 'bench' },
  })
  const door = { port, tls, login: `${account} ${body.token}`, count: sessions }
  const ours = await sessionBytes(world.services.pids['imap-proxy'] ?? 0, door)
  const reference = await sessionBytes(relay.pid, { ...door, port: relay.port, login: 'u p' })
  await world.client.call(operations.deleteAccount, { params: { account } })
  return {
    what: `IMAP door: memory of an idle session, of ${sessions} held, clients ${tls ? 'over TLS' : 'in the clear'}`,
    ours: ours / 1_000,
    reference: reference / 1_000,
    unit: ' kB',
    referenceIs: 'two sockets and two pipes of Node',
  }
}

/** What a process has in memory more for each of the sessions that clients in another one hold open. */
async function sessionBytes(pid: number, holding: Holding): Promise<number> {
  await using clients = await startPart('imap-clients-main.ts')
  // The first ones bring code and tables with them that the others find there.
  await clients.ask({ ...holding, count: 100 })
  await delay(settleMs)
  const before = await residentBytes(pid)
  await clients.ask(holding)
  await delay(settleMs)
  return ((await residentBytes(pid)) - before) / holding.count
}

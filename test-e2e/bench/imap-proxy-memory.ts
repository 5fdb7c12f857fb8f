import { setTimeout as delay } from 'node:timers/promises'
import type { World } from '../world.ts'
import type { SessionRequest } from './imap-clients-main.ts'
import type { ImapAddress } from './imap-line.ts'
import type { Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'
import { startPart } from './start-part.ts'

const sessions = 5_000
/**
 * Pause in milliseconds before memory is read, in which the process collects garbage and releases
 * buffers.
 */
const settleMs = 10_000

/**
 * Measures the memory of the IMAP proxy per idle session. Compares it with the memory of a plain
 * relay.
 */
export async function compareMemory(world: World, { port, tls }: ImapAddress): Promise<Row> {
  await using server = await startPart('idle-imap-main.ts')
  await using relay = await startPart('reference-relay-main.ts', [
    String(server.port),
    tls ? 'tls' : 'clear',
  ])
  const account = `quiet-${String(tls)}`
  const user = { ...world.mail.freshUser('quiet'), imapPort: server.port }
  await world.register(account, user)
  const { token } = await world.posthorn.createToken({
    body: { account, scopes: ['imap-proxy'], description: 'bench' },
  })
  const sessionRequest = { port, tls, login: `${account} ${token}`, count: sessions }
  const measured = await sessionBytes(world.services.pids['imap-proxy'] ?? 0, sessionRequest)
  const reference = await sessionBytes(relay.pid, {
    ...sessionRequest,
    port: relay.port,
    login: 'u p',
  })
  await world.posthorn.deleteAccount({ account })
  return {
    what: `IMAP proxy: memory of an idle session, of ${sessions} sessions, clients ${tls ? 'over TLS' : 'in plaintext'}`,
    measured: measured / 1_000,
    reference: reference / 1_000,
    unit: ' kB',
    referenceIs: 'two sockets and two pipes of Node',
  }
}

/**
 * Additional memory of a process per IMAP session. Clients in another process keep the sessions
 * open.
 */
async function sessionBytes(pid: number, request: SessionRequest): Promise<number> {
  await using clients = await startPart('imap-clients-main.ts')
  // The first IMAP sessions are not measured, because they load code and tables that all later
  // sessions share.
  await clients.request({ ...request, count: 100 })
  await delay(settleMs)
  const before = await residentBytes(pid)
  await clients.request(request)
  await delay(settleMs)
  return ((await residentBytes(pid)) - before) / request.count
}

import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { operations } from '@posthorn/contracts'
import { freePort } from '@posthorn/local'
import { selfSigned } from '@posthorn/local/self-signed'
import { eventually, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import { registration, type World } from '../world.ts'
import type { Holding } from './imap-clients-main.ts'
import { type ImapAddress, openImapLine } from './imap-line.ts'
import { percentile, type Row } from './report.ts'
import { residentBytes } from './resident-bytes.ts'

const messages = 200
const messageBytes = 500_000
const fetches = 6
const logins = 200
const sessions = 5_000
/** For garbage to be collected and buffers to be let go. */
const settleMs = 10_000

/** What the services are to be started with: a certificate, and room for all sessions in one account. */
export function imapDoorEnv(): Record<string, string> {
  const { cert, key } = selfSigned(['localhost'])
  return {
    SVC_IMAP_PROXY_TLS_CERT: cert,
    SVC_IMAP_PROXY_TLS_KEY: key,
    SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT: '10000',
  }
}

/**
 * Bulk FETCH, logins and idle sessions through the IMAP door, in the clear and over TLS, beside Dovecot itself and a bare relay. On its other
 * side the door has gone over to TLS by STARTTLS in all of them, as it does wherever it can.
 */
export async function benchImapDoor(world: World): Promise<Row[]> {
  const user = world.mail.freshUser('door')
  await fill(user)
  await world.register('door', user)
  const { body } = await world.client.call(operations.createToken, {
    body: { account: 'door', scopes: ['imap-proxy'], description: 'bench' },
  })
  const rows: Row[] = []
  for (const tls of [false, true]) {
    const through = { port: await openDoor(world, tls), tls, login: `door ${body.token}` }
    const direct = {
      port: tls ? user.imapsPort : user.imapPort,
      tls,
      login: `${user.user} ${user.pass}`,
    }
    rows.push(await compareFetch(through, direct), await compareLogin(through, direct))
    rows.push(await compareMemory(world, through))
  }
  return rows
}

interface Side extends ImapAddress {
  login: string
}

const over = ({ tls }: ImapAddress) => (tls ? 'over TLS' : 'in the clear')

async function compareFetch(through: Side, direct: Side): Promise<Row> {
  const rates: [number[], number[]] = [[], []]
  // By turns: what else the machine does hits both.
  for (let n = 0; n < fetches; n++)
    for (const [index, side] of [through, direct].entries())
      rates[index]?.push(await fetchAll(side))
  return {
    what: `IMAP door: FETCH of ${messages} messages of ${messageBytes / 1_000} kB ${over(through)}, p50`,
    ours: percentile(rates[0], 50),
    reference: percentile(rates[1], 50),
    unit: ' MB/s',
    referenceIs: 'Dovecot itself',
  }
}

async function fetchAll(side: Side): Promise<number> {
  const line = await openImapLine(side)
  await line.command(`LOGIN ${side.login}`)
  await line.command('EXAMINE INBOX')
  const from = performance.now()
  const bytes = await line.command('FETCH 1:* BODY.PEEK[]')
  const ms = performance.now() - from
  line.close()
  return bytes / 1_000 / ms
}

async function compareLogin(through: Side, direct: Side): Promise<Row> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < logins; n++)
    for (const [index, side] of [through, direct].entries())
      times[index]?.push(await logInOnce(side))
  return {
    what: `IMAP door: from connecting to logged in ${over(through)}, p50`,
    ours: percentile(times[0], 50),
    reference: percentile(times[1], 50),
    unit: ' ms',
    referenceIs: 'Dovecot itself',
  }
}

async function logInOnce(side: Side): Promise<number> {
  const from = performance.now()
  const line = await openImapLine(side)
  await line.command(`LOGIN ${side.login}`)
  const ms = performance.now() - from
  await line.command('LOGOUT')
  line.close()
  return ms
}

async function compareMemory(world: World, { port, tls }: ImapAddress): Promise<Row> {
  await using server = await start('quiet-imap-main.ts')
  await using relay = await start('bare-relay-main.ts', String(server.port), tls ? 'tls' : 'clear')
  const account = `quiet-${String(tls)}`
  await world.client.call(operations.createAccount, {
    body: { ...registration(account, quietUser(world, server.port)) },
  })
  const { body } = await world.client.call(operations.createToken, {
    body: { account, scopes: ['imap-proxy'], description: 'bench' },
  })
  const pid = world.services.pids['imap-proxy'] ?? 0
  const ours = await sessionBytes(pid, {
    port,
    tls,
    login: `${account} ${body.token}`,
    count: sessions,
  })
  const reference = await sessionBytes(relay.pid, {
    port: relay.port,
    tls,
    login: 'u p',
    count: sessions,
  })
  await world.client.call(operations.deleteAccount, { params: { account } })
  return {
    what: `IMAP door: memory of an idle session, of ${sessions} held, clients ${over({ port, tls })}`,
    ours: ours / 1_000,
    reference: reference / 1_000,
    unit: ' kB',
    referenceIs: 'two sockets and two pipes of Node',
  }
}

/** What a process has in memory more for each of the sessions that clients in another one hold open. */
async function sessionBytes(pid: number, holding: Holding): Promise<number> {
  await using clients = await start('imap-clients-main.ts')
  // The first ones bring code and tables with them that the others find there.
  await clients.hold({ ...holding, count: 100 })
  await delay(settleMs)
  const before = await residentBytes(pid)
  await clients.hold(holding)
  await delay(settleMs)
  return ((await residentBytes(pid)) - before) / holding.count
}

async function start(file: string, ...args: string[]) {
  const child = fork(join(import.meta.dirname, file), args)
  const [started] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: started.port,
    pid: child.pid ?? 0,
    async hold(holding: Holding) {
      child.send(holding)
      await once(child, 'message')
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

async function openDoor(world: World, tls: boolean): Promise<number> {
  const port = await freePort()
  await world.client.call(operations.updateSettings, {
    body: {
      imapProxyServerEnabled: true,
      imapProxyServerPort: port,
      imapProxyServerTLSEnabled: tls,
    },
  })
  await eventually(async () => (await openImapLine({ port, tls })).close())
  return port
}

function quietUser(world: World, port: number): TestUser {
  return { ...world.mail.freshUser('quiet'), imapPort: port }
}

async function fill(user: TestUser): Promise<void> {
  const client = await logIn(user)
  const body = randomBytes((messageBytes * 3) / 4)
    .toString('base64')
    .replace(/.{76}/g, '$&\r\n')
  await client.append('INBOX', `Subject: bulk\r\n\r\n${body}\r\n`)
  await client.mailboxOpen('INBOX')
  for (let have = 1; have < messages; have *= 2) {
    await client.messageCopy(`1:${Math.min(have, messages - have)}`, 'INBOX')
    await client.noop()
  }
  await client.logout()
}

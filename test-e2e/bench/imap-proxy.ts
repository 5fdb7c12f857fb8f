import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startDovecot } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { selfSigned } from '@posthorn/local/files/certificate'
import { eventually, type TestUser } from '@posthorn/testkit'
import { logIn } from '../stories/imap-client.ts'
import type { World } from '../world.ts'
import { compareFetch, type Side } from './imap-proxy-fetch.ts'
import { compareMemory } from './imap-proxy-memory.ts'
import { openImapLine } from './imap-line.ts'
import { percentile, type Row } from './report.ts'

const messages = 200
const messageBytes = 500_000
const logins = 200

/**
 * Environment of the services for measurements of the IMAP proxy: a TLS certificate, and limits
 * that allow all sessions with one account.
 */
export function imapProxyEnv(): Record<string, string> {
  const { cert, key } = selfSigned(['localhost'])
  return {
    SVC_IMAP_PROXY_TLS_CERT: cert,
    SVC_IMAP_PROXY_TLS_KEY: key,
    SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT: '10000',
  }
}

/**
 * Measures bulk FETCH, logins and idle sessions through the IMAP proxy, in plaintext and over TLS.
 * Compares them with Dovecot itself and a plain relay. TLS on one side only cannot be compared
 * directly. If the server offers STARTTLS, the proxy uses STARTTLS.
 */
export async function benchImapProxy(world: World): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const secure = await boxOf(world, 'proxy-tls', world.mail.freshUser('proxy'))
  const clear = await boxOf(world, 'proxy-plaintext', await clearUser(world, stack))
  const rows: Row[] = []
  const atProxy = (port: number, tls: boolean, { login }: Box): Side => ({ port, tls, login })
  for (const tls of [false, true]) {
    const port = await enableListener(world, tls)
    const [like, unlike] = tls ? [secure, clear] : [clear, secure]
    const direct = directTo(like, tls)
    const server = tls ? 'Dovecot itself over TLS' : 'Dovecot itself in plaintext'
    const client = tls ? 'client over TLS' : 'client in plaintext'
    const fetch = (box: Box, upstreamTls: boolean) =>
      compareFetch(world, {
        what: `${client}, server ${upstreamTls ? 'over TLS' : 'in plaintext'}`,
        proxy: atProxy(port, tls, box),
        upstream: directTo(box, upstreamTls),
        direct,
        referenceIs: server,
      })
    rows.push(...(await fetch(like, tls)), ...(await fetch(unlike, !tls)))
    rows.push(await compareLogin(atProxy(port, tls, like), direct))
    rows.push(await compareMemory(world, { port, tls }))
  }
  return rows
}

/** Mailbox with bulk data. Its account has an access token. */
interface Box {
  user: TestUser
  /** LOGIN command for the IMAP proxy. */
  login: string
}

function directTo({ user }: Box, tls: boolean): Side {
  return {
    port: tls ? user.imapsPort : user.imapPort,
    tls,
    login: `${user.user} ${user.pass}`,
  }
}

async function boxOf(world: World, account: string, user: TestUser): Promise<Box> {
  await fill(user)
  await world.register(account, user)
  const { token } = await world.posthorn.createToken({
    body: { account, scopes: ['imap-proxy'], description: 'bench' },
  })
  return { user, login: `${account} ${token}` }
}

/** User of a Dovecot without TLS. */
async function clearUser(world: World, stack: AsyncDisposableStack): Promise<TestUser> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-clear-'))
  await chmod(dir, 0o755)
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const dovecot = await startDovecot({ dir, cache: cacheDirectory(process.env), tls: false })
  stack.defer(() => dovecot.destroy())
  const { imapPort, imapsPort, password: pass } = dovecot
  return { ...world.mail.freshUser('proxy'), imapPort, imapsPort, pass }
}

async function compareLogin(through: Side, direct: Side): Promise<Row> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < logins; n++)
    for (const [index, side] of [through, direct].entries())
      times[index]?.push(await logInOnce(side))
  return {
    what: `IMAP proxy: from connect to logged in, client and server ${through.tls ? 'over TLS' : 'in plaintext'}, p50`,
    measured: percentile(times[0], 50),
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

async function enableListener(world: World, tls: boolean): Promise<number> {
  const port = await freePort()
  await world.posthorn.updateSettings({
    body: {
      imapProxyServerEnabled: true,
      imapProxyServerPort: port,
      imapProxyServerTLSEnabled: tls,
    },
  })
  await eventually(async () => (await openImapLine({ port, tls })).close())
  return port
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

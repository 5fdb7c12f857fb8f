import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { deleteUnwantedLogs } from '../src/store/logs.ts'
import { testWorld } from './world.ts'

/** Starts a server of another protocol than IMAP, which sends a banner and nothing else. */
async function startBannerServer(banner: string) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(`${banner}\r\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const world = await testWorld()
const { db } = world
const servers: { close(): Promise<unknown> }[] = []
afterAll(async () => {
  await world.close()
  await Promise.all(servers.map((server) => server.close()))
})

const linesOf = async (account: string) => {
  const rows = await db
    .selectFrom('accountLogs')
    .select('line')
    .where('account', '=', account)
    .orderBy('id')
    .execute()
  return rows.map(({ line }) => line)
}

const readableLines = async (account: string) => {
  const rows = await db
    .selectFrom('accountLogs')
    .select('line')
    .where('account', '=', account)
    .where('afterLogin', '=', true)
    .execute()
  return rows.map(({ line }) => line)
}

test('startTranscripts: only lines from the accepted login on are marked as readable by tenants', async () => {
  await world.startWorker()
  const banner = await startBannerServer('220 internal service ready')
  servers.push(banner)
  const account = await world.register(world.dovecot.freshUser())
  const scan = await world.register(world.dovecot.freshUser(), {
    imap: { host: '127.0.0.1', port: banner.port, secure: false, auth: { user: 'x' } },
  })
  const wrong = await world.register(world.dovecot.freshUser(), { pass: 'wrong' })
  await db.updateTable('accounts').set({ logs: true }).execute()
  await Promise.all([world.touch(account), world.touch(scan), world.touch(wrong)])
  await eventually(async () => {
    expect((await linesOf(scan)).join()).toContain('-- ')
    expect((await linesOf(wrong)).join()).toMatch(/ S: \S+ NO /)
    expect((await readableLines(account)).some((line) => / C: .*\bLIST\b/.test(line))).toBe(true)
  })
  for (const refused of [scan, wrong]) expect(await readableLines(refused)).toEqual([])
  const beforeLogin = / S: \* OK \[CAPABILITY|-- Established|LOGIN \(hidden\)/
  expect((await linesOf(account)).some((line) => beforeLogin.test(line))).toBe(true)
  expect((await readableLines(account)).filter((line) => beforeLogin.test(line))).toEqual([])
})

test('startTranscripts: stores commands and responses of accounts with logs, without passwords', async () => {
  await world.startWorker()
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  const silent = await world.register(world.dovecot.freshUser())
  await Promise.all([world.connected(account), world.connected(silent)])
  expect(await linesOf(account)).toEqual([])

  await db.updateTable('accounts').set({ logs: true }).where('account', '=', account).execute()
  await world.touch(account)
  const lines = await eventually(async () => {
    const lines = await linesOf(account)
    expect(lines.some((line) => / C: .*\bLIST\b/.test(line))).toBe(true)
    expect(lines.some((line) => / S: /.test(line))).toBe(true)
    return lines
  })
  expect(lines.join('\n')).not.toContain(user.pass)
  expect(lines.join('\n')).not.toContain(Buffer.from(user.pass).toString('base64'))
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z \[\d+\] (C:|S:|--) /)

  await db.updateTable('accounts').set({ logs: false }).where('account', '=', account).execute()
  await world.touch(account)
  const left = await linesOf(account)
  expect(left.filter((line) => lines.includes(line))).toEqual([])
  // The sweep deletes protocol log lines that were written while the log was being disabled.
  await eventually(async () => {
    await deleteUnwantedLogs(db)
    expect(await linesOf(account)).toEqual([])
  })
  expect(await linesOf(silent)).toEqual([])
})

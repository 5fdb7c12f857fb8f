import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { type Registration, testWorld } from './world.ts'

const world = await testWorld()
const { db } = world
const sockets: Socket[] = []
const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
await once(silent.listen(0, '127.0.0.1'), 'listening')
afterEach(() => world.reset())
afterAll(async () => {
  await world.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
})

/**
 * Ports for servers that cannot be used: a port without a server, and a port whose server accepts
 * connections and sends nothing.
 */
const ports = { closed: 1, silent: (silent.address() as AddressInfo).port }

/** Registers an account whose server a tenant has set. */
async function registerOfTenant(input: Registration): Promise<string> {
  const account = await world.register(world.dovecot.freshUser(), { ...input, imap: disabled })
  const imap = { ...server, port: input.port ?? imapPort }
  await db
    .updateTable('accounts')
    .set({ tenantSet: ['imap'], imap: JSON.stringify({ ...imap, disabled: false }) })
    .where('account', '=', account)
    .execute()
  await world.touch(account)
  return account
}
const disabled = { disabled: true }
const { host, imapPort } = world.dovecot.freshUser()
const server = { host, port: imapPort, tls: { rejectUnauthorized: false } }

const untilState = (account: string, state: string) =>
  eventually(async () => expect((await world.state(account))?.state).toBe(state))

test('tenant: a failed connection is not visible before the timeout, whatever the port', async () => {
  await world.startWorker({ connectTimeoutMs: 3_600_000 })
  const closed = await registerOfTenant({ port: ports.closed })
  const quiet = await registerOfTenant({ port: ports.silent })
  for (const account of [closed, quiet]) await untilState(account, 'connecting')
  // The fixed delay of failures applies to servers of tenants only, and neither to successful nor
  // to rejected logins.
  const operators = await world.register(world.dovecot.freshUser(), { port: ports.closed })
  const own = await registerOfTenant({})
  const wrong = await registerOfTenant({ pass: 'wrong' })
  await untilState(operators, 'connectError')
  await untilState(own, 'connected')
  await untilState(wrong, 'authenticationError')
  for (const account of [closed, quiet]) {
    expect(await world.state(account)).toMatchObject({ state: 'connecting', lastError: null })
    expect(await world.events(account)).toEqual([])
  }
})

test('tenant: after the timeout, both ports are connectError and recover with another server', async () => {
  await world.startWorker({ connectTimeoutMs: 1_000 })
  for (const port of [ports.closed, ports.silent]) {
    const account = await registerOfTenant({ port })
    await world.expectEvents(account, ['connectError'], 1)
    expect(await world.state(account)).toMatchObject({ state: 'connectError' })
    const imap = JSON.stringify(server)
    await db.updateTable('accounts').set({ imap }).where('account', '=', account).execute()
    await world.touch(account)
    await untilState(account, 'connected')
  }
})

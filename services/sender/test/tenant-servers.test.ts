import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { senderFixture } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, row, finished, eventsOf } = fixture
const server = smtpServers()
const sockets: Socket[] = []
const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
await once(silent.listen(0, '127.0.0.1'), 'listening')
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  silent.close()
  await fixture[Symbol.asyncDispose]()
})

/** Port without a server, and port of a server that accepts SMTP connections and sends no reply. */
const ports = [1, (silent.address() as AddressInfo).port]

async function addTenant(port: number): Promise<string> {
  const account = await addAccount({ host: '127.0.0.1', port })
  await db
    .updateTable('accounts')
    .set({ tenantSet: ['smtp'] })
    .where('account', '=', account)
    .execute()
  return account
}
const started = (queueId: string) =>
  eventually(async () => expect(await row(queueId)).toMatchObject({ attempts: 1 }))

test('tenant: a failed connection is not visible before the timeout, whatever the port', async () => {
  await using _sender = await startSender({ SVC_SMTP_CONNECT_TIMEOUT: '1h' })
  const accounts = await Promise.all(ports.map(addTenant))
  const queued = await Promise.all(accounts.map((account) => submit({ account, maxAttempts: 1 })))
  await Promise.all(queued.map(started))
  // Failures of an operator's SMTP servers, and messages to mail servers that work, do not wait.
  const operators = await addAccount({ host: '127.0.0.1', port: 1 })
  const failed = await finished(await submit({ account: operators, maxAttempts: 1 }))
  expect(failed).toMatchObject({ state: 'failed', lastError: { code: 'ECONNREFUSED' } })
  const { port } = await server()
  const sent = await finished(await submit({ account: await addTenant(port) }))
  expect(sent).toMatchObject({ state: 'sent' })
  for (const queueId of queued)
    expect(await row(queueId)).toMatchObject({ state: 'queued', lastError: null })
  for (const account of accounts) expect(await eventsOf(account)).toEqual([])
})

test('tenant: after the timeout, both ports fail and the message is tried again', async () => {
  const timeouts = { SVC_SMTP_CONNECT_TIMEOUT: '300ms', SVC_SMTP_GREETING_TIMEOUT: '300ms' }
  await using _sender = await startSender(timeouts)
  for (const port of ports) {
    const account = await addTenant(port)
    const failed = await finished(await submit({ account, maxAttempts: 2 }))
    expect(failed).toMatchObject({ state: 'failed', attempts: 2 })
    expect(failed.lastError?.code).toMatch(/^E(?:CONNREFUSED|TIMEDOUT)$/)
    const names = (await eventsOf(account)).map(({ event }) => event)
    expect(names).toEqual(['messageDeliveryError', 'messageDeliveryError', 'messageFailed'])
  }
})

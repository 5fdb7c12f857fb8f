import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { testDovecot } from '@posthorn/testkit'
import { imapOf, testProxy } from './proxy.ts'

const dovecot = await testDovecot()
const proxy = await testProxy()
const connected = Promise.withResolvers<void>()
const silent = createServer((socket) => {
  socket.on('error', () => undefined)
  connected.resolve()
})
await once(silent.listen(0, '127.0.0.1'), 'listening')
afterAll(async () => {
  silent.close()
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})
const user = dovecot.freshUser()
const valid = { user: user.user, pass: user.pass }

/**
 * Adds an account to the IMAP proxy. By default, a tenant has set the account's mail server.
 * Returns the LOGIN command of the account.
 */
async function addAccount(
  account: string,
  { port = user.imapPort, credentials = valid as typeof valid | AppError, isTenants = true } = {},
): Promise<string> {
  await proxy.addAccount(account, { ...imapOf(user), port }, credentials)
  if (isTenants)
    await proxy.db
      .updateTable('accounts')
      .set({ tenantSet: ['imap'] })
      .where('account', '=', account)
      .execute()
  return `a LOGIN ${account} ${await proxy.addToken({ account })}`
}

test('tenant: failed connections wait; logins, rejected logins and operators do not', async () => {
  const waiting = await Promise.all(
    [1, (silent.address() as AddressInfo).port].map(async (port) => {
      const client = await proxy.open()
      client.send(`${await addAccount(`port ${port}`.replace(' ', '-'), { port })}\r\n`)
      return client
    }),
  )
  await connected.promise
  const logIn = async (command: string) => (await proxy.open()).command(command)
  const operators = await addAccount('operators', { port: 1, isTenants: false })
  expect(await logIn(operators)).toMatch(/^a NO \[UNAVAILABLE\]/m)
  expect(await logIn(await addAccount('own'))).toMatch(/^a OK /m)
  const wrong = { ...valid, pass: 'wrong' }
  expect(await logIn(await addAccount('wrong', { credentials: wrong }))).toMatch(
    /^a NO \[AUTHENTICATIONFAILED\]/m,
  )
  // A refusal of auth-bridge is reported before any connection to a mail server, so that the reply
  // does not depend on the port.
  const credentials = new AppError('rejected', 'for another server')
  for (const port of [1, user.imapPort])
    expect(await logIn(await addAccount(`refused-${port}`, { port, credentials }))).toMatch(
      /^a NO \[AUTHENTICATIONFAILED\]/m,
    )
  for (const client of waiting) expect(client.text).not.toMatch(/^a /m)
  for (const client of waiting) client.close()
})

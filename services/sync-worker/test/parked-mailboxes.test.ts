import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, type ImapScript, startImapScript } from '@posthorn/testkit'
import { mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Tests with a mail server that ends the connection whenever a certain mailbox is opened.

let world: World
let server: ImapScript
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterAll(() => world.close())
beforeEach(async () => {
  server = await startImapScript({ mailboxes: ['Broken', 'Damaged', 'Work'] })
  for (const path of ['INBOX', 'Broken', 'Damaged', 'Work'])
    server.mailbox(path).append(mail({ subject: `old in ${path}` }))
})
afterEach(() => server[Symbol.asyncDispose]())

const register = () => {
  const { host, port: imapPort } = server
  return world.register({ host, imapPort, user: 'jane', pass: 'secret' })
}

/** Ends the connection at SELECT and EXAMINE of these mailboxes. Returns the end of the fault. */
function breaks(...paths: string[]): () => void {
  const offs = ['SELECT', 'EXAMINE'].map((name) =>
    server.on(name, ({ rest }) =>
      paths.some((path) => rest.includes(path)) ? { raw: '', then: 'reset' } : undefined,
    ),
  )
  return () => offs.forEach((off) => off())
}

const expectNew = (account: string, subject: string) =>
  eventually(async () => {
    const events = await world.events(account, 'messageNew')
    expect(events.map(({ data }) => data['subject'])).toContain(subject)
  })

test('mailboxes that end the connection, are parked, other mailboxes are synced', async () => {
  const repair = breaks('Broken', 'Damaged')
  const account = await register()
  await world.connected(account)
  expect(await world.state(account)).toMatchObject({
    state: 'connected',
    syncError: {
      path: expect.stringMatching(/^(Broken|Damaged)$/),
      error: expect.stringContaining('ends the connection'),
    },
  })
  for (const path of ['INBOX', 'Work']) {
    server.mailbox(path).append(mail({ subject: `new in ${path}` }))
    await expectNew(account, `new in ${path}`)
  }
  repair()
  server.mailbox('Broken').append(mail({ subject: 'after the repair' }))
  await expectNew(account, 'after the repair')
  await eventually(async () => expect((await world.state(account))?.syncError).toBeNull())
})

test('mailbox that ends the connection later, is parked', async () => {
  const account = await register()
  await world.connected(account)
  breaks('Work')
  server.mailbox('Work').append(mail({ subject: 'unreadable' }))
  await eventually(async () =>
    expect(await world.state(account)).toMatchObject({
      state: 'connected',
      syncError: { path: 'Work' },
    }),
  )
  server.mailbox('INBOX').append(mail({ subject: 'readable' }))
  await expectNew(account, 'readable')
})

test('all mailboxes end the connection, the account is not connected', async () => {
  const repair = breaks('INBOX', 'Broken', 'Damaged', 'Work')
  const account = await register()
  await eventually(async () =>
    expect(await world.state(account)).toMatchObject({ state: 'connectError' }),
  )
  // After more than 10 connections, each mailbox has ended the connection often enough to be parked
  // (left out of syncs).
  await eventually(() => expect(server.connections).toBeGreaterThan(10))
  expect((await world.state(account))?.state).not.toBe('connected')
  repair()
  await world.connected(account)
})

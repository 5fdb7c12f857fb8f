import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { eventually, type ImapScript, startImapScript } from '@posthorn/testkit'
import { testWorld, type World } from './world.ts'

// Commands that arrive while the session of an account restarts with a changed registration.

let world: World
let server: ImapScript
beforeAll(async () => {
  world = await testWorld()
  server = await startImapScript()
  await world.startWorker()
})
afterAll(async () => {
  await world.close()
  await server[Symbol.asyncDispose]()
})

async function connect(): Promise<string> {
  const { host, port: imapPort } = server
  const account = await world.register({ host, imapPort, user: 'jane', pass: 'secret' })
  await world.connected(account)
  return account
}

test('registration changed: commands wait for the next session of the account', async () => {
  const [account, other] = [await connect(), await connect()]
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>()
  let isEnding = false
  server.on('LOGOUT', async ({ defaultReply }) => {
    isEnding = true
    await mayEnd
    return defaultReply()
  })
  await world.touch(account)
  await eventually(() => isEnding)
  const listed = world.ask(listMailboxes, account, { counters: false })
  // The reply for the other account shows that the worker has received the command before.
  await Promise.race([listed, world.ask(listMailboxes, other, { counters: false })])
  letEnd()
  expect((await listed).mailboxes.map(({ path }) => path)).toContain('INBOX')
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyImap } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { eventually, sealedLogin, startProxy } from '@posthorn/testkit'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterAll(() => world.close())

function verify(over: Partial<CommandRequest<typeof verifyImap>> = {}) {
  const { host, imapPort: port, user, pass } = world.dovecot.freshUser()
  const server = { host, port, tls: { rejectUnauthorized: false } }
  const request = { server, credentials: { user, pass }, mailboxes: false, ...over }
  const how = { key: 'verify.imap', timeoutMs: 30_000 }
  // Repeats the command until the queue of the worker that tests logins exists.
  return eventually(() => world.bus.request(verifyImap, request, how))
}

test('verifyImap: successful login, returns the mailboxes if requested', async () => {
  expect(await verify()).toEqual({ verdict: { success: true } })
  const { verdict, mailboxes } = await verify({ mailboxes: true })
  expect(verdict).toEqual({ success: true })
  expect(mailboxes).toContainEqual({
    path: 'INBOX',
    delimiter: '/',
    name: 'INBOX',
    listed: true,
    subscribed: expect.any(Boolean),
    specialUse: '\\Inbox',
    specialUseSource: 'name',
  })
  expect(mailboxes).toContainEqual(
    expect.objectContaining({ path: 'Sent', specialUse: '\\Sent', specialUseSource: 'extension' }),
  )
})

test('verifyImap: uses the configured proxy with the sealed login of its URL', async () => {
  await using proxy = await startProxy({ user: 'me', pass: 's:cret' })
  proxy.withGreeting = false
  const proxyUrl = await sealedLogin(`socks5://me:s%3Acret@${proxy.host}:${proxy.port}`)
  // With implicit TLS, the client sends first. The library imapflow sometimes loses an IMAP
  // greeting that arrives together with the response of the proxy.
  const { host, imapsPort: port } = world.dovecot.freshUser()
  const server = { host, port, secure: true, tls: { rejectUnauthorized: false } }
  {
    await using _settings = await withSettings({ proxyEnabled: true, proxyUrl })
    await eventually(async () => {
      expect(await verify({ server })).toEqual({ verdict: { success: true } })
      expect(proxy.requests[0]).toMatchObject({ kind: 'socks5', user: 'me', pass: 's:cret' })
    })
  }
  // The proxy must not end before the worker has dropped the settings that name the proxy.
  await eventually(async () => {
    const { length } = proxy.requests
    await verify({ server })
    expect(proxy.requests).toHaveLength(length)
  })
})

/** Stores settings of the operator. Disposal of the result deletes the settings. */
async function withSettings(settings: Record<string, unknown>): Promise<AsyncDisposable> {
  const rows = Object.entries(settings).map(([key, value]) => ({
    key,
    value: JSON.stringify(value),
  }))
  await world.db.insertInto('settings').values(rows).execute()
  await world.bus.invalidate({ topic: 'settings' })
  return {
    async [Symbol.asyncDispose]() {
      await world.db.deleteFrom('settings').where('key', 'in', Object.keys(settings)).execute()
      await world.bus.invalidate({ topic: 'settings' })
    },
  }
}

test('verifyImap: rejected credentials, returns the response of the server', async () => {
  const { user } = world.dovecot.freshUser()
  const { verdict } = await verify({ credentials: { user, pass: 'wrong' } })
  expect(verdict).toMatchObject({
    success: false,
    code: 'AUTHENTICATIONFAILED',
    responseText: expect.stringMatching(/failed/i),
  })
  expect(JSON.stringify(verdict)).not.toContain('wrong')
})

test('verifyImap: ports of other services and of this deployment, are refused without a connection', async () => {
  const { port: broker } = new URL(world.broker.url)
  for (const port of [22, 6379, Number(broker)])
    expect(await verify({ server: { host: '127.0.0.1', port } })).toMatchObject({
      verdict: { success: false, code: 'EEGRESSBLOCKED' },
    })
})

test('verifyImap: error before IMAP, contains neither an IP address nor a banner', async () => {
  const closed = await verify({ server: { host: '127.0.0.1', port: 1 } })
  expect(closed.verdict.error).toBe('The mail server cannot be reached: ECONNREFUSED')
  const blocked = await verify({ server: { host: '169.254.169.254', port: 143 } })
  expect(blocked.verdict.error).not.toContain('169.254')
})

test('verifyImap: unreachable or forbidden server, returns the error', async () => {
  expect(await verify({ server: { host: '127.0.0.1', port: 1 } })).toMatchObject({
    verdict: { success: false, code: 'ECONNREFUSED' },
  })
  expect(await verify({ server: { host: '169.254.169.254', port: 143 } })).toMatchObject({
    verdict: { success: false, code: 'EEGRESSBLOCKED' },
  })
})

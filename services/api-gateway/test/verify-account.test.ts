import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { verifyImap, verifySmtp } from '@posthorn/contracts/commands/verify'
import type { CommandRequest } from '@posthorn/contracts/define'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
const { call } = await servers.start({ SVC_TIMEOUT: '1h', SVC_UNUSABLE_SERVER_TIME: '5s' })
const impatient = await servers.start({ SVC_TIMEOUT: '5s' })
const bus = await servers.connectBus()
const imapRequests: CommandRequest<typeof verifyImap>[] = []
const smtpRequests: CommandRequest<typeof verifySmtp>[] = []
const failures: Record<string, object> = {
  'closed.example': { error: 'refused', code: 'ECONNREFUSED' },
  'forbidden.example': { error: 'not allowed', code: 'EEGRESSBLOCKED' },
  'banner.example': { error: 'x', code: 'EPROTOCOL', responseText: 'SSH-2.0-OpenSSH' },
}
/**
 * Promise of a mail server test that never replies. A worker's reply at the deadline could overtake
 * the timeout of the gateway.
 */
const silence = Promise.withResolvers<never>()
silence.promise.catch(() => undefined)
const inbox = { path: 'INBOX', delimiter: '/', name: 'INBOX', listed: true, subscribed: true }
await bus.serve({
  queue: 'verify.imap',
  handlers: [
    on(verifyImap, async (request) => {
      imapRequests.push(request)
      return {
        verdict: { success: true },
        ...(request.mailboxes ? { mailboxes: [inbox] } : {}),
      }
    }),
  ],
})
await bus.serve({
  queue: 'verify.smtp',
  handlers: [
    on(verifySmtp, async (request) => {
      smtpRequests.push(request)
      if (request.server.host === 'slow.example') await silence.promise
      const failure = failures[request.server.host]
      if (failure) return { verdict: { success: false, ...failure } }
      const responseText = '535 5.7.8 no'
      return {
        verdict: { success: false, error: 'no', code: 'EAUTH', statusCode: 535, responseText },
      }
    }),
  ],
})
afterAll(async () => {
  silence.reject(new Error('end of the tests'))
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const verify = (body: object) => call('POST', '/v1/verifyAccount', { body })
const auth = { user: 'me', pass: 'secret' }
const imap = { host: 'imap.example', port: 993, secure: true, auth }
const smtp = { host: 'smtp.example', port: 587, auth }

test('verifyAccount: returns the result of both logins', async () => {
  const body = {
    imap,
    smtp,
    mailboxes: true,
    proxy: 'socks5://proxy.example',
    smtpEhloName: 'me.example',
  }
  const answer = await verify(body)
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      imap: { success: true },
      smtp: {
        success: false,
        error: 'no',
        code: 'EAUTH',
        statusCode: 535,
        responseText: '535 5.7.8 no',
      },
      mailboxes: [inbox],
    },
  ])
  expect(imapRequests.at(-1)).toEqual({
    server: { host: 'imap.example', port: 993, secure: true },
    credentials: auth,
    mailboxes: true,
    proxy: 'socks5://proxy.example',
  })
  expect(smtpRequests.at(-1)).toMatchObject({ credentials: auth, ehloName: 'me.example' })
})

test('verifyAccount: absent servers are not tested', async () => {
  expect((await verify({ imap })).body).toEqual({ imap: { success: true } })
  expect((await verify({ imap: false, smtp: false })).body).toEqual({})
})

test('verifyAccount: tests an access token; SMTP works without a login', async () => {
  await verify({ imap: { ...imap, auth: { user: 'me', accessToken: 'token' } } })
  expect(imapRequests.at(-1)?.credentials).toEqual({ user: 'me', accessToken: 'token' })
  await verify({ smtp: { ...smtp, auth: false } })
  expect(smtpRequests.at(-1)).not.toHaveProperty('credentials')
})

test('verifyAccount: without full rights, hides why a server cannot be used', async () => {
  const token = await mint(call, {})
  const results = await Promise.all(
    ['closed.example', 'forbidden.example', 'banner.example'].map(async (host) => {
      const body = { smtp: { ...smtp, host } }
      return (await call('POST', '/v1/verifyAccount', { token, body })).body
    }),
  )
  const error = 'The mail server cannot be used'
  for (const result of results)
    expect(result).toEqual({ smtp: { success: false, error, code: 'ECONNECTION' } })
  const rejected = await call('POST', '/v1/verifyAccount', { token, body: { imap, smtp } })
  expect(rejected.body).toMatchObject({
    imap: { success: true },
    smtp: { code: 'EAUTH', responseText: '535 5.7.8 no' },
  })
  const details = await verify({ smtp: { ...smtp, host: 'closed.example' } })
  expect(details.body).toMatchObject({ smtp: { code: 'ECONNREFUSED' } })
})

test('verifyAccount: a timeout is part of the result', async () => {
  const slow = { imap, smtp: { ...smtp, host: 'slow.example' } }
  const { status, body } = await impatient.call('POST', '/v1/verifyAccount', { body: slow })
  expect([status, body]).toMatchObject([
    200,
    { imap: { success: true }, smtp: { success: false, code: 'Timeout', statusCode: 504 } },
  ])
})

test.each<[string, object, string[]]>([
  ['no login', { imap: { ...imap, auth: undefined } }, ['imap.auth']],
  ['no password', { smtp: { ...smtp, auth: { user: 'me' } } }, ['smtp.auth.pass']],
  [
    'an authentication server',
    { imap: { ...imap, auth: undefined, useAuthServer: true } },
    ['imap.useAuthServer'],
  ],
  ['an unknown field', { imap: { ...imap, nope: 1 } }, ['imap.nope']],
])('verifyAccount: %s, responds 400', async (...[, body, paths]) => {
  const answer = await verify(body)
  expect([answer.status, answer.body.fields?.map(({ path }) => path)]).toEqual([400, paths])
})

test('verifyAccount: without workers, the result contains WorkerNotAvailable', async () => {
  const others = await testServers()
  try {
    const gateway = await others.start()
    const { status, body } = await gateway.call('POST', '/v1/verifyAccount', { body: { imap } })
    expect([status, body]).toMatchObject([
      200,
      { imap: { success: false, code: 'WorkerNotAvailable', statusCode: 503 } },
    ])
  } finally {
    await others.stop()
  }
})

test('verifyAccount: a disabled server needs no address and is not tested', async () => {
  const { status, body } = await verify({ imap: { disabled: true }, smtp: false })
  expect([status, body]).toEqual([200, {}])
})

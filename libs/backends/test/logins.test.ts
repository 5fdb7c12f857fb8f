import { expect, test } from '@jest/globals'
import type { Answer } from './scripted-server.ts'
import { backend, start } from './scripted-session.ts'

test('a BYE for a greeting is unreachable, with the words of the server', async () => {
  const { options } = await start({}, '* BYE Too many connections')
  await expect(backend.connect(options)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'BYE',
    extras: { info: { response: 'Too many connections' } },
  })
})

test.each([
  ['NO [UNAVAILABLE] Service temporarily unavailable', 'unreachable', 'UNAVAILABLE'],
  ['NO [ALERT] Too many simultaneous connections. (Failure)', 'unreachable', 'ALERT'],
  ['NO [AUTHENTICATIONFAILED] Invalid credentials', 'unauthorized', 'AUTHENTICATIONFAILED'],
  [
    'BAD Request is throttled. Suggested Backoff Time: 20 milliseconds',
    'unreachable',
    'UNAVAILABLE',
  ],
])('a login answered with %j is %s', async (answer, kind, code) => {
  const { options } = await start({ LOGIN: () => [`{tag} ${answer}`] })
  await expect(backend.connect(options)).rejects.toMatchObject({ kind, code })
})

test('a login that turns out not to have been one is unauthorized', async () => {
  const { options } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 NAMESPACE', '{tag} OK done'],
    NAMESPACE: () => ['{tag} BAD User is authenticated but not connected.'],
  })
  await expect(backend.connect(options)).rejects.toMatchObject({ kind: 'unauthorized' })
  const { options: others } = await start({
    LIST: () => ['{tag} BAD User is authenticated but not connected.'],
  })
  await using one = await backend.connect(others)
  await expect(one.listMailboxes()).rejects.toMatchObject({ kind: 'unauthorized' })
})

test('an access token goes out as XOAUTH2, and the challenge of its refusal is answered', async () => {
  const CAPABILITY: Answer = () => ['* CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2', '{tag} OK done']
  const credentials = { user: 'me', accessToken: 'token' }
  const willing = await start({ CAPABILITY, AUTHENTICATE: () => ['{tag} OK done'] })
  await using one = await backend.connect({ ...willing.options, credentials })
  expect(one.user).toBe('me')
  const payload = Buffer.from('user=me\x01auth=Bearer token\x01\x01').toString('base64')
  expect(willing.heard).toContain(`AUTHENTICATE XOAUTH2 ${payload}`)

  let tag = ''
  const challenge = Buffer.from('{"status":"400"}').toString('base64')
  const unwilling = await start({
    CAPABILITY,
    AUTHENTICATE: (command) => {
      tag = command.tag
      return [`+ ${challenge}`]
    },
    '': () => [`${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`],
  })
  const refused = backend.connect({ ...unwilling.options, credentials })
  await expect(refused).rejects.toMatchObject({
    kind: 'unauthorized',
    code: 'AUTHENTICATIONFAILED',
  })
})

test('a server elsewhere that has no STARTTLS is not told the password', async () => {
  const { options, heard } = await start()
  // The same machine, by a name that does not say so.
  await expect(backend.connect({ ...options, host: '127.1' })).rejects.toMatchObject({
    kind: 'unreachable',
  })
  expect(heard.some((line) => line.startsWith('LOGIN'))).toBe(false)
})

import { expect, test } from '@jest/globals'
import { eventually, type Hook } from '@posthorn/testkit'
import { backend, start } from './scripted-session.ts'

test('ImapBackend.connect: BYE as greeting, is unreachable with its text', async () => {
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
])('ImapBackend.connect: login response %j, is %s', async (reply, kind, code) => {
  const { options } = await start({ LOGIN: () => [`{tag} ${reply}`] })
  await expect(backend.connect(options)).rejects.toMatchObject({ kind, code })
})

test('ImapBackend.connect: login accepted for an unknown user, is unauthorized', async () => {
  const { options } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 NAMESPACE', '{tag} OK done'],
    NAMESPACE: () => ['{tag} BAD User is authenticated but not connected.'],
  })
  await expect(backend.connect(options)).rejects.toMatchObject({ kind: 'unauthorized' })
  const refusal = '{tag} BAD User is authenticated but not connected.'
  const { options: others } = await start({ LIST: () => [refusal] })
  await expect(backend.connect(others)).rejects.toMatchObject({ kind: 'unauthorized' })
  const { options: later } = await start({ SELECT: () => [refusal] })
  await using one = await backend.connect(later)
  await expect(one.select('INBOX')).rejects.toMatchObject({ kind: 'unauthorized' })
})

test('ImapBackend.connect: access token with XOAUTH2, is sent, and the challenge of its rejection is answered', async () => {
  const CAPABILITY: Hook = () => ['* CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2', '{tag} OK done']
  const credentials = { user: 'me', accessToken: 'token' }
  const willing = await start({ CAPABILITY, AUTHENTICATE: () => ['{tag} OK done'] })
  await using one = await backend.connect({ ...willing.options, credentials })
  expect(one.user).toBe('me')
  const payload = Buffer.from('user=me\x01auth=Bearer token\x01\x01').toString('base64')
  expect(willing.received).toContain(`AUTHENTICATE XOAUTH2 ${payload}`)

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

test('ImapBackend.connect: remote server without STARTTLS, receives no password', async () => {
  const { options, received } = await start()
  // Host 127.1 is a name of the local machine that does not count as loopback, so the IMAP login
  // requires STARTTLS.
  await expect(backend.connect({ ...options, host: '127.1' })).rejects.toMatchObject({
    kind: 'unreachable',
  })
  expect(received.some((line) => line.startsWith('LOGIN'))).toBe(false)
})

test('ImapBackend.connect: login accepted by a failing server, is unreachable', async () => {
  const { options } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 NAMESPACE', '{tag} OK done'],
    NAMESPACE: () => ['{tag} NO [UNAVAILABLE] Server error - Please try again later'],
  })
  await expect(backend.connect(options)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'UNAVAILABLE',
  })
  // Rejections of the IMAP commands that imapflow sends after the login are ignored, except a
  // rejection that shows a failed login.
  const { options: others } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 NAMESPACE ID ENABLE CONDSTORE', '{tag} OK done'],
    NAMESPACE: () => ['{tag} BAD Command unknown'],
    ID: () => ['{tag} NO [UNAVAILABLE] no'],
    ENABLE: () => ['{tag} BAD no'],
  })
  await using one = await backend.connect(others)
  expect(one.capabilities.condstore).toBe(false)
})

test('ImapBackend.connect: access token without OAuth mechanism, is unauthorized', async () => {
  const { options } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 AUTH=PLAIN', '{tag} OK done'],
  })
  const credentials = { user: 'me', accessToken: 'token' }
  const error = await backend
    .connect({ ...options, credentials })
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ kind: 'unauthorized' })
  // The IMAP server has rejected no login, so the connection error has no response code.
  expect(error).not.toMatchObject({ code: expect.any(String) })
})

test('ImapBackend.connect: OAUTHBEARER without SASL-IR, is preferred, and its rejection is answered', async () => {
  let tag = ''
  const received: string[] = []
  const { options } = await start({
    CAPABILITY: () => ['* CAPABILITY IMAP4rev1 AUTH=XOAUTH2 AUTH=OAUTHBEARER', '{tag} OK done'],
    AUTHENTICATE: (command) => {
      tag = command.tag
      received.push(command.rest)
      return ['+ ']
    },
    // Script for lines without an IMAP command: the payload of AUTHENTICATE and the end of the
    // exchange.
    '': (line) => {
      received.push(Buffer.from(line.tag, 'base64').toString())
      return received.length === 2
        ? [`+ ${Buffer.from('{"status":"invalid_token"}').toString('base64')}`]
        : [`${tag} NO [AUTHENTICATIONFAILED] no`]
    },
  })
  const credentials = { user: 'me', accessToken: 'token' }
  await expect(backend.connect({ ...options, credentials })).rejects.toMatchObject({
    kind: 'unauthorized',
    code: 'AUTHENTICATIONFAILED',
  })
  expect(received).toEqual([
    'OAUTHBEARER',
    expect.stringMatching(/^n,a=me,\x01.*\x01auth=Bearer token\x01\x01$/s),
    '\x01',
  ])
})

test('MailSession.select: server that requires ID after the login, sends it and retries', async () => {
  let logins = 0
  let identified = false
  const { options, received } = await start(
    {
      CAPABILITY: () => ['* CAPABILITY IMAP4rev1 ID', '{tag} OK done'],
      LOGIN: () => {
        logins++
        return ['{tag} OK done']
      },
      ID: ({ rest }) => {
        identified = logins > 0 && (rest.match(/"/g) ?? []).length > 4
        return ['* ID ("name" "Coremail Imap" "vendor" "Mailtech")', '{tag} OK done']
      },
      SELECT: () =>
        identified
          ? ['* 0 EXISTS', '* OK [UIDVALIDITY 7] ok', '{tag} OK done']
          : ['{tag} NO SELECT Unsafe Login. Please contact kefu@188.com for help'],
      STATUS: () => ['* STATUS INBOX (MESSAGES 3 UIDNEXT 4)', '{tag} OK done'],
    },
    '* OK Coremail System IMap Server Ready(163com)',
  )
  await using one = await backend.connect(options)
  expect(await one.select('INBOX')).toMatchObject({ messages: 0 })
  // IMAP servers that ignore NOOP receive STATUS instead, and changed counters become
  // notifications.
  await one.ping()
  expect(received).not.toContain('NOOP')
  expect(received).toContain('STATUS "INBOX" (MESSAGES UIDNEXT)')
  const notifications: unknown[] = []
  const abort = new AbortController()
  const watching = one.watch((notification) => notifications.push(notification), abort.signal)
  await eventually(() => expect(notifications).toContainEqual({ kind: 'exists', messages: 3 }))
  abort.abort()
  await watching
})

test('ImapConnection: throttled command, waits for the requested time and is sent again', async () => {
  let refusals = 0
  const { options, received } = await start({
    STATUS: () =>
      refusals++ < 2
        ? ['{tag} BAD Request is throttled. Suggested Backoff Time: 120 milliseconds']
        : ['* STATUS INBOX (MESSAGES 3 UIDNEXT 4 UIDVALIDITY 5)', '{tag} OK done'],
    LIST: ({ rest }) =>
      rest === '"" ""'
        ? ['* LIST () "/" ""', '{tag} OK done']
        : ['{tag} BAD Request is throttled. Suggested Backoff Time: 10 milliseconds'],
  })
  await using one = await backend.connect(options)
  const began = performance.now()
  expect(await one.status('INBOX')).toMatchObject({ messages: 3 })
  expect(performance.now() - began).toBeGreaterThan(230)
  await expect(one.listMailboxes()).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'THROTTLED',
  })
  expect(received.filter((line) => line.startsWith('LIST "" "*"'))).toHaveLength(3)
})

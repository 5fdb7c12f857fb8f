import type { TLSSocket } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { defaultMailPorts } from '@posthorn/net/ports'
import { eventually, startProxy, testDovecot } from '@posthorn/testkit'
import { BufferPool } from '../src/upstream/upstream-reader.ts'
import { TlsSessionCache } from '../src/upstream/upstream-tls.ts'
import { connectToServer, type MailServer } from '../src/upstream/upstream.ts'
import { testCertificate } from './certificate.ts'
import { scriptedServer } from './scripted-server.ts'

const tls = testCertificate()
const dovecot = await testDovecot()
afterAll(() => dovecot.drop())

const credentials = { user: 'u', pass: 'p' }
const anyServer: MailServer = {
  host: '127.0.0.1',
  port: 0,
  secure: false,
  allowsPlaintext: false,
  rejectUnauthorized: false,
  minVersion: undefined,
}

/** Logs in at a mail server and returns the bytes that belong to the client. */
async function open(
  changes: Partial<MailServer>,
  input: Credentials = credentials,
  ownPort?: number,
): Promise<string> {
  const { socket, rest } = await connectToServer(
    { ...anyServer, ...changes },
    {
      credentials: Promise.resolve(input),
      signal: AbortSignal.timeout(60_000),
      ownPort,
      egress: 'link-local',
      mailPorts: defaultMailPorts,
      buffers: new BufferPool(),
      tlsSessions: new TlsSessionCache(),
    },
  )
  socket.destroy()
  return rest.toString()
}

test.each([
  ['STARTTLS', { port: dovecot.imapPort, secure: false }],
  ['TLS from the first byte', { port: dovecot.imapsPort, secure: true }],
])('connectToServer: %s, verifies the certificate unless disabled', async (_what, server) => {
  const user = dovecot.freshUser()
  await open(server, { user: user.user, pass: user.pass })
  await expect(
    open({ ...server, rejectUnauthorized: true }, { user: user.user, pass: user.pass }),
  ).rejects.toMatchObject({ kind: 'unreachable' })
  await expect(open(server, { user: user.user, pass: 'not it' })).rejects.toMatchObject({
    kind: 'rejected',
  })
  await expect(open(server, { user: user.user, accessToken: 'not it' })).rejects.toMatchObject({
    kind: 'rejected',
  })
})

test('TlsSessionCache: resumes a session under identical conditions only', async () => {
  const user = dovecot.freshUser()
  const tickets = new TlsSessionCache()
  const server = { ...anyServer, host: 'localhost', port: dovecot.imapsPort, secure: true }
  const reused = async (more: Partial<MailServer>) => {
    const { socket } = await connectToServer(
      { ...server, ...more },
      {
        credentials: Promise.resolve({ user: user.user, pass: user.pass }),
        signal: AbortSignal.timeout(60_000),
        ownPort: undefined,
        egress: 'link-local',
        mailPorts: defaultMailPorts,
        buffers: new BufferPool(),
        tlsSessions: tickets,
      },
    )
    const isReused = (socket as TLSSocket).isSessionReused()
    socket.destroy()
    return isReused
  }
  expect(await reused({})).toBe(false)
  // Another process of the mail server may not know the TLS session.
  await eventually(async () => expect(await reused({})).toBe(true))
  await expect(reused({ rejectUnauthorized: true })).rejects.toMatchObject({
    kind: 'unreachable',
  })
})

test('connectToServer: server without STARTTLS behind a proxy, needs allowsPlaintext', async () => {
  await using server = await scriptedServer('* OK [CAPABILITY IMAP4rev1] hello\r\n', (line) =>
    line.includes('LOGIN') ? 'P1 OK [CAPABILITY IMAP4rev1] in\r\n* 1 EXISTS\r\n' : undefined,
  )
  await using through = await startProxy()
  const remote = { port: server.port, proxy: `socks5://${through.host}:${through.port}` }
  await expect(open(remote)).rejects.toMatchObject({
    message: 'The mail server offers no STARTTLS',
  })
  expect(server.received).toEqual([])
  expect(await open({ ...remote, allowsPlaintext: true })).toBe('* 1 EXISTS\r\n')
})

test('connectToServer: unsolicited responses of any length, are skipped', async () => {
  await using server = await scriptedServer('* OK [ALERT] hello\r\n', (line) =>
    line.includes('CAPABILITY')
      ? '* OK [ALERT] one\r\n* CAPABILITY IMAP4rev1\r\n* X {5}\r\nP1 OK rest\r\nP1 OK done\r\n'
      : '* CAPABILITY IMAP4rev1 IDLE\r\n* LIST () "/" x\r\nP1 OK [CAPABILITY IMAP4rev1] in\r\n* 1 EXISTS\r\n',
  )
  expect(await open({ port: server.port })).toBe('* 1 EXISTS\r\n')
  expect(server.received).toEqual(['P1 CAPABILITY', 'P1 LOGIN "u" "p"'])
})

test('logInUpstream: arbitrary password without AUTH=PLAIN, sent as a literal', async () => {
  await using server = await scriptedServer('* OK [CAPABILITY IMAP4rev1] hi\r\n', (line) =>
    line.endsWith('}')
      ? '+\r\n'
      : line === 'A1 LOGOUT'
        ? 'P1 OK [CAPABILITY IMAP4rev1] in\r\n'
        : undefined,
  )
  await open({ port: server.port }, { user: 'ü', pass: 'p\r\nA1 LOGOUT' })
  expect(server.received).toEqual(
    ['P1 LOGIN {2}', Buffer.from('ü {13}').toString('latin1'), 'p', 'A1 LOGOUT'].map((line) =>
      line.replace('{13}', '{12}'),
    ),
  )
})

test('logInUpstream: access token by XOAUTH2, accepted and rejected', async () => {
  const refusal = Buffer.from('{"status":"400"}').toString('base64')
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1 AUTH=XOAUTH2 SASL-IR] hi\r\n',
    (line) =>
      line === ''
        ? 'P1 NO [AUTHENTICATIONFAILED] Invalid credentials of secret@example.com\r\n'
        : `+ ${refusal}\r\n`,
  )
  const error = await open({ port: server.port }, { user: 'u', accessToken: 't' }).catch(
    (error: unknown) => error,
  )
  expect(error).toMatchObject({ kind: 'rejected', message: expect.not.stringContaining('secret') })
  const message = Buffer.from('user=u\x01auth=Bearer t\x01\x01').toString('base64')
  expect(server.received).toEqual([`P1 AUTHENTICATE XOAUTH2 ${message}`, ''])
})

test('STARTTLS: plaintext around it, is discarded', async () => {
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1 STARTTLS AUTH=EVIL] hi\r\n',
    (line, secure) => {
      if (line.includes('STARTTLS'))
        return 'P1 OK go\r\nP1 OK injected\r\n* CAPABILITY AUTH=EVIL\r\nSTARTTLS\n'
      return line.includes('CAPABILITY')
        ? '* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN\r\nP1 OK\r\n'
        : `P1 ${secure ? 'OK' : 'NO'} in\r\n`
    },
    tls,
  )
  await open({ port: server.port })
  expect(server.received).toEqual([
    'P1 STARTTLS',
    'P1 CAPABILITY',
    `P1 AUTHENTICATE PLAIN ${Buffer.from('\0u\0p').toString('base64')}`,
    // The mail server does not announce capabilities after the login, so the proxy requests them.
    'P1 CAPABILITY',
  ])
})

test.each<[string, string, string]>([
  ['PREAUTH', '* PREAUTH [CAPABILITY IMAP4rev1] in\r\n', 'unreachable'],
  ['a proxy of this kind', '* OK Posthorn IMAP Proxy ready for 192.0.2.1\r\n', 'unreachable'],
  ['a goodbye', '* BYE busy\r\n', 'unreachable'],
  ['too many connections', '* BYE Too many connections\r\n', 'rate-limited'],
  ['no IMAP at all', '220 mail.example ESMTP\r\n', 'unreachable'],
  ['a line without end', 'x'.repeat(300_000), 'unreachable'],
])('connectToServer: greeting %s, no login', async (_what, greeting, kind) => {
  await using server = await scriptedServer(greeting, () => undefined)
  await expect(open({ port: server.port })).rejects.toMatchObject({ kind })
  expect(server.received).toEqual([])
})

test.each([
  ['NO [UNAVAILABLE] later', 'unreachable'],
  ['NO [LIMIT] too many', 'rate-limited'],
  ['NO [ALERT] Maximum number of connections from user exceeded', 'rate-limited'],
  ['NO wrong', 'rejected'],
  ['BAD what', 'unreachable'],
])('logInUpstream: response %s, is %s', async (answer, kind) => {
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1] hi\r\n',
    () => `P1 ${answer}\r\n`,
  )
  await expect(open({ port: server.port })).rejects.toMatchObject({ kind })
})

test('clientCapabilities: names of the spec first, without login capabilities and invalid words', async () => {
  const words =
    'IMAP4rev1 AUTH=PLAIN STARTTLS COMPRESS=DEFLATE LOGINDISABLED LOGIN-REFERRALS SASL-IR x\x07y'
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1] hi\r\n',
    () => `P1 OK [CAPABILITY ${words}] in\r\n`,
  )
  const { socket, capabilities } = await connectToServer(
    { ...anyServer, port: server.port },
    {
      credentials: Promise.resolve(credentials),
      signal: AbortSignal.timeout(60_000),
      ownPort: undefined,
      egress: 'link-local',
      mailPorts: defaultMailPorts,
      buffers: new BufferPool(),
      tlsSessions: new TlsSessionCache(),
    },
  )
  socket.destroy()
  expect(capabilities).toEqual(['IMAP4rev1', 'SASL-IR', 'LOGIN-REFERRALS', 'COMPRESS=DEFLATE'])
})

test('connectToServer: no plaintext login to another host, no login to itself', async () => {
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1] hi\r\n',
    () => 'P1 OK in\r\n',
  )
  await expect(open({ port: server.port }, credentials, server.port)).rejects.toMatchObject({
    message: expect.stringContaining('this proxy'),
  })
  await expect(open({ host: '169.254.169.254', port: 143 })).rejects.toBeDefined()
  expect(server.received).toEqual([])
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createRequire } from 'node:module'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  ehloLinesOf,
  initialResponse,
  type SendInfo,
  SmtpConnection,
  tokenMechanism,
  XOAuth2,
} from './nodemailer.ts'

const { version } = createRequire(import.meta.url)('nodemailer/package.json') as {
  version: string
}

/**
 * Fails with a message that names the private member of nodemailer, its use and the module to
 * change.
 */
function assertMember(holds: boolean, member: string): void {
  if (!holds)
    throw new Error(
      `nodemailer ${version} changed ${member}: adapt services/sender/src/transports/smtp/nodemailer.ts`,
    )
}

const commands: string[] = []
const server = createServer((socket) => {
  let isData = false
  socket.write('220 ready\r\n')
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
      commands.push(line)
      if (isData && line !== '.') continue
      isData = line === 'DATA'
      if (line.startsWith('EHLO')) socket.write('250-test\r\n250-AUTH XOAUTH2\r\n250 SIZE 1000\r\n')
      else if (isData) socket.write('354 go on\r\n')
      else socket.write(line.includes('rejected@') ? '550 5.1.1 unknown\r\n' : '250 ok\r\n')
    }
  })
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

test('nodemailer: the members the sender relies on, behave as in the supported version', async () => {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const connection = new SmtpConnection({ connection: socket, host: 'test', port, logger: false })
  try {
    await new Promise<void>((resolve, reject) =>
      connection.connect((error) => (error ? reject(error) : resolve())),
    )
    const lines = ehloLinesOf(connection)
    assertMember(
      lines.join() === 'AUTH XOAUTH2,SIZE 1000',
      'SMTPConnection._ehloLines (EHLO reply before the first message)',
    )
    assertMember(connection.allowsAuth, 'SMTPConnection.allowsAuth (server offers AUTH)')
    assertMember(
      typeof new XOAuth2({ user: 'a', accessToken: 'b' }).getToken === 'function',
      'lib/xoauth2 (marks credentials as an access token)',
    )
    const info = await sendHoldingBack(connection)
    assertMember(info.response === '250 ok', 'SendInfo.response (reply to the end of data)')
    assertMember(info.accepted.join() === 'a@b.c', 'SendInfo.accepted')
    const [rejected] = info.rejectedErrors ?? []
    assertMember(
      (rejected as { recipient?: string } | undefined)?.recipient === 'rejected@b.c' &&
        rejected?.responseCode === 550 &&
        rejected.command === 'RCPT TO',
      'SendInfo.rejectedErrors (recipient, responseCode and command of a rejected recipient)',
    )
  } finally {
    connection.close()
    socket.destroy()
  }
})

/** Sends a message by SMTP from a stream that ends only after the server has the content. */
async function sendHoldingBack(connection: SmtpConnection): Promise<SendInfo> {
  const content = new PassThrough()
  const envelope = { from: 'me@b.c', to: ['a@b.c', 'rejected@b.c'], size: 8, use8BitMime: false }
  const { promise, resolve, reject } = Promise.withResolvers<SendInfo>()
  connection.send(envelope, content, (error, info) =>
    error || !info ? reject(error ?? new Error('no result')) : resolve(info),
  )
  content.write('Hello\r\n')
  while (!commands.includes('Hello')) await new Promise((next) => setImmediate(next))
  assertMember(
    !commands.includes('.'),
    'SMTPConnection.send (must not send the end of data before the stream ends)',
  )
  content.end()
  return promise
}

const login = { user: 'me=x,y@b.c', accessToken: 'tok', host: 'mail.b.c', port: 587 }
const decode = (response: string) =>
  Buffer.from(response, 'base64').toString().replaceAll('\x01', '^A')

test.each([
  [['PLAIN', 'XOAUTH2', 'OAUTHBEARER'], 'XOAUTH2'],
  [['PLAIN', 'OAUTHBEARER'], 'OAUTHBEARER'],
  [['XOAUTH2'], 'XOAUTH2'],
  [[], 'XOAUTH2'],
])('tokenMechanism: offers %j, returns %s', (mechanisms, mechanism) => {
  expect(tokenMechanism(mechanisms)).toBe(mechanism)
})

test('initialResponse: XOAUTH2 and OAUTHBEARER, encodes user and token', () => {
  expect(decode(initialResponse('XOAUTH2', login))).toBe('user=me=x,y@b.c^Aauth=Bearer tok^A^A')
  expect(decode(initialResponse('OAUTHBEARER', login))).toBe(
    'n,a=me=3Dx=2Cy@b.c,^Ahost=mail.b.c^Aport=587^Aauth=Bearer tok^A^A',
  )
})

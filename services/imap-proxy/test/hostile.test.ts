import { afterAll, expect, test } from '@jest/globals'
import { connect } from 'node:tls'
import { eventually } from '@posthorn/testkit'
import { Secret } from '@posthorn/config'
import { testCertificate } from './certificate.ts'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const { cert: ca, key } = testCertificate()
const proxy = await testProxy({
  tlsCert: ca,
  tlsKey: new Secret(key),
  maxPending: 12,
  maxPendingPerAddress: 5,
})
afterAll(async () => proxy[Symbol.asyncDispose]())

test.each([
  ['a long tag', `${'a'.repeat(200)} NOOP\r\n`, '* BAD Invalid tag\r\n'],
  [
    'an unknown mechanism',
    'a AUTHENTICATE CRAM-MD5\r\n',
    'a NO [CANNOT] Unsupported authentication mechanism\r\n',
  ],
  [
    'a command of a session',
    'a SELECT INBOX\r\n',
    'a BAD Unknown command, or not before a login\r\n',
  ],
  ['LOGIN without a token', 'a LOGIN acc\r\n', 'a BAD LOGIN takes an account and a token\r\n'],
  ['no base64', 'a AUTHENTICATE PLAIN %%%\r\n', 'a BAD Invalid SASL response\r\n'],
  [
    'no message of the mechanism',
    'a AUTHENTICATE XOAUTH2 Zm9v\r\n',
    'a BAD Invalid SASL response\r\n',
  ],
  ['an empty response', 'a AUTHENTICATE PLAIN =\r\n', 'a BAD Invalid SASL response\r\n'],
  [
    'a literal in a command that is none',
    'a FOO {6+}\r\nx NOOP\r\n',
    'a BAD Unknown command, or not before a login\r\n',
  ],
  ['a literal that is too large', 'a LOGIN {5000}\r\n', 'a BAD [TOOBIG] Literal too large\r\n'],
])('invalid input, %s: replies and reads the next command', async (_what, text, answer) => {
  const client = await proxy.open()
  client.send(`${text}next NOOP\r\n`)
  expect(await client.until(/^next .*\r\n/m)).toBe(`${answer}next OK NOOP completed\r\n`)
  client.close()
})

test('AUTHENTICATE: cancelled by the client, replies BAD', async () => {
  const client = await proxy.open()
  client.send('a AUTHENTICATE PLAIN\r\n')
  await client.until(/^\+ \r\n/)
  client.send('*\r\nb NOOP\r\n')
  expect(await client.until(/^b .*\r\n/m)).toBe(
    'a BAD Authentication cancelled\r\nb OK NOOP completed\r\n',
  )
  client.close()
})

test.each([
  ['a line without an end', 'x'.repeat(100_000), '* BYE Command line too long\r\n'],
  ['a literal of many digits', 'a LOGIN {99999999999}\r\n', '* BYE Literal too large\r\n'],
  [
    'three bad commands',
    'a X\r\nb Y\r\nc Z\r\nd LOGOUT\r\n',
    /^(?:[abc] BAD .*\r\n){3}\* BYE Too many invalid commands\r\n$/,
  ],
  ['HTTP', 'POST / HTTP/1.1\r\nHost: x\r\n\r\na LOGIN u p\r\n', ''],
  ['fifty commands', 'a NOOP\r\n'.repeat(60), /\* BYE Too many commands before a login\r\n$/],
])('invalid input, %s: closes the connection', async (_what, text, answer) => {
  const client = await proxy.open()
  client.send(text)
  const received = await client.untilClosed()
  if (typeof answer === 'string') expect(received).toBe(answer)
  else expect(received).toMatch(answer)
})

test('STARTTLS: commands pipelined in plaintext, are not executed', async () => {
  const client = await proxy.open()
  expect(await client.command('a CAPABILITY')).toContain(' STARTTLS\r\n')
  expect(await client.command('b STARTTLS')).toBe('b OK Begin TLS negotiation now\r\n')
  await client.startTls(ca)
  expect(await client.command('c CAPABILITY')).not.toContain('STARTTLS')
  expect(await client.command('d STARTTLS')).toBe('d BAD TLS is not available here\r\n')
  client.close()

  const injected = await proxy.open()
  injected.send('a STARTTLS\r\nb NOOP\r\n')
  expect(await injected.untilClosed()).toBe('* BYE Nothing may follow STARTTLS\r\n')
})

test('maxPendingPerAddress: one address cannot occupy all pending connections', async () => {
  const from = '127.0.9.9'
  const clients = await Promise.all(Array.from({ length: 5 }, () => proxy.open(from)))
  const sixth = await RawClient.open(proxy.port, from)
  expect(await sixth.untilClosed()).toBe('')
  const other = await proxy.open('127.0.9.10')
  expect(await other.command('a NOOP')).toBe('a OK NOOP completed\r\n')
  for (const client of [...clients, other]) client.close()
})

test('maxPending: one connection too many, ends the oldest', async () => {
  const clients: RawClient[] = []
  for (let n = 0; n < 13; n += 1) clients.push(await proxy.open(`127.0.8.${n + 1}`))
  const [oldest, ...others] = clients
  expect(await oldest?.untilClosed()).toBe('* BYE Too many connections\r\n')
  for (const client of others) {
    expect(await client.command('a NOOP')).toBe('a OK NOOP completed\r\n')
    client.close()
  }
})

test('maxPending: several connections too many, end as many old connections', async () => {
  const clients: RawClient[] = []
  for (let n = 0; n < 12; n += 1) clients.push(await proxy.open(`127.0.7.${n + 1}`))
  const late = await Promise.all(
    Array.from({ length: 4 }, (_, n) => proxy.open(`127.0.7.${n + 101}`)),
  )
  for (const oldest of clients.splice(0, 4))
    expect(await oldest.untilClosed()).toBe('* BYE Too many connections\r\n')
  for (const client of [...clients, ...late]) {
    expect(await client.command('a NOOP')).toBe('a OK NOOP completed\r\n')
    client.close()
  }
})

test('implicit TLS: enabled by the settings, rejects foreign ALPN protocols', async () => {
  await proxy.set({ imapProxyServerTLSEnabled: true })
  const received = await eventually(
    () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({
          port: proxy.port,
          host: '127.0.0.1',
          ca,
          checkServerIdentity: () => undefined,
          timeout: 5_000,
        })
        socket.once('data', (chunk: Buffer) => {
          resolve(chunk.toString())
          socket.destroy()
        })
        socket.once('error', reject)
        socket.once('timeout', () => socket.destroy(new Error('no greeting')))
      }),
  )
  expect(received).toBe('* OK Posthorn IMAP Proxy ready for requests from 127.0.0.1\r\n')
  const refused = new Promise((_resolve, reject) => {
    const socket = connect(
      { port: proxy.port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] },
      () => reject(new Error('taken')),
    )
    socket.once('error', reject)
  })
  await expect(refused).rejects.toMatchObject({
    code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
  })
})

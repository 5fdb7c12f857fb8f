import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const proxy = await testProxy({
  maxMessageBytes: 2_000_000,
  maxBufferedBytes: 4_000_000,
  maxPendingPerAddress: 4,
})
afterAll(() => proxy[Symbol.asyncDispose]())
const { port, token, outbox, count, send } = proxy

/** Returns an SMTP client that has sent a recipient, before DATA. */
async function ready(): Promise<RawClient> {
  const client = await RawClient.greeted(port)
  await client.command(`AUTH PLAIN ${Buffer.from(`\0acc\0${token}`).toString('base64')}`)
  await client.command('MAIL FROM:<me@example.com>')
  await client.command('RCPT TO:<a@example.com>')
  return client
}

const idOf = (reply: string) => /as ([0-9a-f]{19}) /.exec(reply)?.[1] ?? ''

// SMTP smuggling: only CRLF . CRLF ends a message (RFC 5321 §4.1.1.4).
test.each(['\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n', '\r\n.\r', '\r.\r\n', '\r\n\0.\r\n'])(
  'end of data: %p, does not end the message and becomes CRLF',
  async (end) => {
    const before = await count()
    const client = await ready()
    await client.command('DATA')
    const smuggled = `MAIL FROM:<evil@example.com>${end}RCPT TO:<victim@example.com>`
    const reply = await client.command(`Subject: s\r\n\r\nbody${end}${smuggled}\r\n.`)
    expect(reply).toMatch(/^250 Message queued/)
    expect(await client.command('NOOP')).toMatch(/^250 /)
    expect(await count()).toBe(before + 1)
    const { mime, envelope } = await outbox(idOf(reply))
    expect(envelope).toEqual({ from: 'me@example.com', to: ['a@example.com'] })
    expect(mime?.toString('latin1')).toContain('victim@example.com')
    expect(mime?.toString('latin1')).not.toMatch(/\r(?!\n)|(?<!\r)\n/)
    client.close()
  },
)

test('DATA: dot-stuffed message in single bytes, is accepted', async () => {
  const client = await ready()
  await client.command('DATA')
  for (const byte of Buffer.from('Subject: s\r\n\r\n..one\r\n...\r\nend\r\n.\r\n'))
    client.send(Buffer.from([byte]))
  const { mime } = await outbox(idOf(await client.reply()))
  expect(mime?.toString()).toMatch(/\r\n\r\n\.one\r\n\.\.\r\nend\r\n$/)
  client.close()
})

test('PIPELINING: replies arrive in the order of the commands', async () => {
  const client = await RawClient.greeted(port)
  await client.command(`AUTH PLAIN ${Buffer.from(`\0acc\0${token}`).toString('base64')}`)
  client.send('MAIL FROM:<me@example.com>\r\nRCPT TO:<bad\r\nRCPT TO:<a@example.com>\r\nDATA\r\n')
  const replies = [
    await client.reply(),
    await client.reply(),
    await client.reply(),
    await client.reply(),
  ]
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '501', '250', '354'])
  client.send('\r\nbody\r\n.\r\nNOOP\r\nQUIT\r\n')
  expect(await client.untilClosed()).toMatch(/^250 Message.*\r\n250 .*\r\n221 .*\r\n$/)
})

test.each([
  'a b@example.com',
  'a@exam ple.com',
  'a',
  '"<x>"@exa<mple',
  'a@b\u0007c',
  'a\0b@example.com',
  `${'a'.repeat(330)}@example.com`,
])('RCPT TO: %p, is rejected', async (recipient) => {
  const client = await ready()
  expect(await client.command(`RCPT TO:<${recipient}>`)).toMatch(/^5\d\d /)
  client.close()
})

test.each([
  'ENVID=a+0D+0AX',
  'RET=ALL',
  'SIZE=-1',
  'BODY=BINARYMIME',
  'RET=FULL RET=HDRS',
  `ENVID=${'x'.repeat(101)}`,
])('MAIL FROM: with %s, is rejected', async (parameter) => {
  const client = await RawClient.greeted(port)
  await client.command(`AUTH PLAIN ${Buffer.from(`\0acc\0${token}`).toString('base64')}`)
  expect(await client.command(`MAIL FROM:<me@example.com> ${parameter}`)).toMatch(/^501 /)
  client.close()
})

test('maxRecipients: beyond 1,000, rejected and the message goes to the others', async () => {
  const client = await ready()
  const more = Array.from({ length: 1_100 }, (_, at) => `RCPT TO:<r${at}@example.com>\r\n`)
  client.send(more.join(''))
  const replies: string[] = []
  while (replies.length < more.length) replies.push(await client.reply())
  expect(replies.filter((reply) => reply.startsWith('250 '))).toHaveLength(999)
  expect(replies.at(-1)).toMatch(/^452 4\.5\.3 /)
  await client.command('DATA')
  const { envelope } = await outbox(idOf(await client.command('\r\nx\r\n.')))
  expect(envelope.to).toHaveLength(1_000)
  client.close()
})

test.each([
  ['a line over the limit', 'x'.repeat(200_000)],
  ['HTTP', 'POST / HTTP/1.1\r\nHost: x\r\n\r\nEHLO x\r\n'],
  ['unknown commands', 'WIZ\r\n'.repeat(50)],
  ['commands without a login', 'NOOP\r\n'.repeat(50)],
  ['repeated invalid logins', 'AUTH PLAIN AAAA\r\n\0\0\0\r\n'.repeat(50)],
])('SMTPServer: %s, closes the connection', async (_name, bytes) => {
  const client = await RawClient.open(port)
  await client.reply()
  client.send(bytes)
  expect(await client.untilClosed()).toMatch(/421 [^\r]*\r\n$/)
  client.close()
})

test('PendingClients: disconnected clients that stay connected, release their permits', async () => {
  for (let at = 0; at < 4; at += 1) {
    const client = await RawClient.open(port)
    await client.reply()
    client.send('QUIT\r\n')
    await client.untilClosed()
  }
  const next = await eventually(() => ready())
  next.close()
})

test('receive: a line of 20 MB, ten times the limit, is rejected at the end of data', async () => {
  const client = await ready()
  await client.command('DATA')
  const piece = Buffer.alloc(1_000_000, 'x')
  for (let sent = 0; sent < 20; sent += 1)
    if (!client.socket.write(piece))
      await new Promise((resolve) => client.socket.once('drain', resolve))
  expect(await client.command('\r\n.')).toMatch(/^552 5\.3\.4 /)
  expect(await client.command('NOOP')).toMatch(/^250 /)
  client.close()
})

test('prepareMessage: header over 1 MiB, is rejected with 552', async () => {
  const client = await ready()
  await client.command('DATA')
  expect(await client.command(`${'X: y\r\n'.repeat(180_000)}\r\nbody\r\n.`)).toMatch(
    /^552 5\.3\.4 /,
  )
  client.close()
})

test('receive: client disconnects during DATA, nothing is stored', async () => {
  const before = await count()
  const client = await ready()
  await client.command('DATA')
  client.send('Subject: half\r\n\r\n')
  client.close()
  await eventually(async () => expect((await send({ text: 'x' })).response).toMatch(/^250 /))
  expect(await count()).toBe(before + 1)
})

test('maxPendingPerAddress: limits one address, others still connect', async () => {
  const waiting = await Promise.all([1, 2, 3, 4].map(() => RawClient.open(port, '127.0.0.2')))
  for (const client of waiting) await client.reply()
  const one = await RawClient.open(port, '127.0.0.2')
  expect(await one.untilClosed()).toBe('')
  const other = await RawClient.open(port, '127.0.0.3')
  expect(await other.reply()).toMatch(/^220 /)
  for (const client of [...waiting, other]) client.close()
  await eventually(async () => {
    const again = await RawClient.open(port, '127.0.0.2')
    expect(await again.reply()).toMatch(/^220 /)
    again.close()
  })
})

test('SMTPServer: random input, gets a reply or a closed connection, others are still served', async () => {
  let seed = 11
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  const words = [
    'EHLO x',
    'AUTH PLAIN',
    'AUTH LOGIN AA',
    'MAIL FROM:<',
    'RCPT TO:',
    'DATA',
    '.',
    '\0',
    '\r',
    '\n',
    '*',
    'RSET',
  ]
  for (let run = 0; run < 40; run += 1) {
    const client = run % 2 === 0 ? await RawClient.greeted(port) : await ready()
    const pieces = Array.from({ length: 30 }, () =>
      random() < 0.5
        ? Buffer.from(words[Math.floor(random() * words.length)] ?? '')
        : Buffer.from(Array.from({ length: Math.floor(random() * 20) }, () => random() * 256)),
    )
    client.send(Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.from('\r\n')])))
    client.send('\r\n.\r\nQUIT\r\n')
    client.socket.end()
    await client.untilClosed()
  }
  expect((await send({ text: 'x' })).response).toMatch(/^250 /)
})

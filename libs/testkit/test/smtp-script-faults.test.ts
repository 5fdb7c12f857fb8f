import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import {
  eventually,
  smtpFaults,
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
} from '@posthorn/testkit'
import { createTransport, type SendMailOptions } from 'nodemailer'

let server: SmtpScript
afterEach(async () => server[Symbol.asyncDispose]())

async function start(options?: SmtpScriptOptions): Promise<SmtpScript> {
  server = await startSmtpScript(options)
  return server
}

function send(message: SendMailOptions = {}, options: object = {}) {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    tls: { rejectUnauthorized: false },
    ...options,
  })
  return transport
    .sendMail({ from: 'a@x.example', to: 'b@x.example', text: 'hello', ...message })
    .finally(() => transport.close())
}

/**
 * Writes all lines to the SMTP server in one packet. Returns everything received until the
 * connection ends.
 */
async function dialogue(...lines: string[]): Promise<string> {
  const socket = connect(server.port, server.host)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined)
  socket.write(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
  await once(socket, 'close')
  return Buffer.concat(chunks).toString('latin1')
}

test('SmtpScript: records every line, the bytes without dot stuffing, their hash and parameters', async () => {
  await start()
  const raw = Buffer.from(
    'Subject: x\r\nMessage-ID: <dots@x.example>\r\n\r\n.\r\n..two\r\n\xff\r\n',
    'latin1',
  )
  const dsn = { id: 'order-1', return: 'headers', notify: ['success'], recipient: 'b@x.example' }
  await send({ raw, dsn } as SendMailOptions)
  const [message] = server.accepted
  expect(message?.raw.equals(raw)).toBe(true)
  expect(message).toMatchObject({
    messageId: '<dots@x.example>',
    sha256: createHash('sha256').update(raw).digest('hex'),
    parameters: {
      from: expect.stringContaining('RET=HDRS'),
      to: [expect.stringContaining('NOTIFY=SUCCESS')],
    },
  })
  expect(server.received.map((line) => line.split(/[ :]/)[0])).toEqual(
    ['EHLO', 'STARTTLS', 'EHLO', 'MAIL', 'RCPT', 'DATA', '.', 'QUIT'].slice(
      0,
      server.received.length,
    ),
  )
})

test('SmtpScript: replies to pipelined commands one by one and reports them', async () => {
  await start()
  const reply = await dialogue(
    'EHLO x\r\nMAIL FROM:<a@x>\r\nRCPT TO:<b@x>\r\nRCPT TO:<c@x>\r\nDATA\r\n.\r\nWHAT\r\nQUIT',
  )
  expect(reply.match(/^\d{3} /gm)).toEqual([
    '220 ',
    '250 ',
    '250 ',
    '250 ',
    '250 ',
    '354 ',
    '250 ',
    '500 ',
    '221 ',
  ])
  expect(server.accepted).toMatchObject([{ to: ['b@x', 'c@x'], raw: Buffer.alloc(0) }])
})

test('SmtpScript: offers the given extensions, rejects parameters of others', async () => {
  await start({ extensions: ['SIZE'], maxBytes: 1_000, plain: true })
  const reply = await dialogue(
    'EHLO x',
    'MAIL FROM:<a@x> SMTPUTF8',
    'MAIL FROM:<a@x> SIZE=1001',
    'MAIL FROM:<a@x> SIZE=9',
    'RCPT TO:<b@x> NOTIFY=NEVER',
    'STARTTLS',
    'QUIT',
  )
  expect(reply).toContain('250-SIZE 1000\r\n')
  expect(reply).not.toMatch(/PIPELINING|SMTPUTF8\r\n|STARTTLS\r\n|DSN/)
  expect(reply.match(/^[45]\d\d/gm)).toEqual(['555', '552', '555', '502'])
})

test('smtpFaults: rejects a number of times, then accepts; rejects some recipients', async () => {
  await start()
  server.on('MAIL', smtpFaults.times(2, smtpFaults.replies('451 4.7.1 greylisted')))
  server.on('RCPT', smtpFaults.rejects(/<bad/, '550 5.1.1 unknown user'))
  await expect(send()).rejects.toMatchObject({ responseCode: 451 })
  await expect(send()).rejects.toMatchObject({ responseCode: 451 })
  const to = ['bad@x.example', 'b@x.example']
  expect(await send({ to })).toMatchObject({
    accepted: ['b@x.example'],
    rejected: ['bad@x.example'],
  })
})

test('smtpFaults.closesAfter: closes before the end of data', async () => {
  await start()
  server.on('body', smtpFaults.closesAfter(10_000))
  await expect(send({ text: 'line\n'.repeat(20_000) })).rejects.toThrow()
  expect(server.accepted).toEqual([])
  expect(server.received).not.toContain('.')
})

test('smtpFaults.omitsReply: stores the message without a reply, still receives later commands', async () => {
  await start()
  server.on('dot', smtpFaults.omitsReply)
  const sending = send().catch(() => undefined)
  await eventually(() => expect(server.accepted).toHaveLength(1))
  server.sessions[0]?.write('250 2.0.0 late\r\n')
  expect(await sending).toMatchObject({ response: '250 2.0.0 late' })
})

test('smtpFaults.slow: delays every step', async () => {
  await start()
  let calls = 0
  for (const moment of ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'dot'] as const)
    server.on(moment, async (command) => (calls++, smtpFaults.slow(5)(command)))
  await send({}, { ignoreTLS: true })
  expect(calls).toBe(6)
  server.on('greeting', smtpFaults.hangs)
  await expect(send({}, { greetingTimeout: 50 })).rejects.toMatchObject({ code: 'ETIMEDOUT' })
})

test('smtpFaults: replies with several lines, and with non-ASCII text', async () => {
  await start()
  server.on('dot', smtpFaults.verbose('2.0.0 thank you', '2.0.0 very much'))
  expect((await send()).response).toMatch(/^250-2\.0\.0 thank you\n250-2\.0\.0 very much\n250 /)
  server.on('dot', smtpFaults.sendsRaw(Buffer.from('550 5.7.1 na\xefve \xff\xfe\0\r\n', 'latin1')))
  await expect(send()).rejects.toMatchObject({ responseCode: 550 })
})

test('smtpFaults: rejects STARTTLS, or breaks the connection during the handshake', async () => {
  await start()
  server.on('STARTTLS', smtpFaults.replies('454 4.7.0 not now'))
  await expect(send({}, { requireTLS: true })).rejects.toMatchObject({ code: 'ETLS' })
  server.on('STARTTLS', smtpFaults.sendsRaw('220 go on\r\n', 'close'))
  await expect(send()).rejects.toThrow()
  server.on('STARTTLS', undefined)
  await send({}, { requireTLS: true })
})

test('SmtpScript: a hook that throws resets the connection and fails the disposal', async () => {
  const failing = await startSmtpScript()
  failing.on('MAIL', () => {
    throw new Error('error of the test')
  })
  server = failing
  await expect(send()).rejects.toThrow()
  server = await startSmtpScript()
  await expect(failing[Symbol.asyncDispose]()).rejects.toThrow('error of the test')
})

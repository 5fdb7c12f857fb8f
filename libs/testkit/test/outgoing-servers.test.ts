import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  eventually,
  isSwitchedOff,
  testOpenSmtpd,
  type TestOutgoing,
  testPostfix,
  type TestUser,
} from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { createTransport, type SendMailOptions } from 'nodemailer'

const kinds = [
  { name: 'Postfix', variable: 'TEST_POSTFIX', use: testPostfix, reports: 'multipart/report' },
  { name: 'OpenSMTPD', variable: 'TEST_OPENSMTPD', use: testOpenSmtpd, reports: 'multipart/mixed' },
] as const

describe.each(kinds)('$name', ({ name, variable, use, reports }) => {
  const isOff = isSwitchedOff(variable)
  const tested = isOff ? test.skip : test
  let server: TestOutgoing
  beforeAll(async () => {
    if (!isOff) server = await use()
  })
  afterAll(() => server?.drop())

  async function send(user: TestUser, message: SendMailOptions, options: object = {}) {
    const transport = createTransport({
      host: server.host,
      port: server.submissionPort,
      auth: user,
      requireTLS: true,
      tls: { ca: await readFile(server.certPath, 'utf8') },
      ...options,
    })
    return transport
      .sendMail({ from: user.address, subject: 'Hello', text: 'hello', ...message })
      .finally(() => transport.close())
  }

  async function inbox(user: TestUser): Promise<string[]> {
    const client = new ImapFlow({
      host: user.host,
      port: user.imapsPort,
      secure: true,
      auth: user,
      logger: false,
      tls: { rejectUnauthorized: false },
    })
    await client.connect()
    await client.mailboxOpen('INBOX')
    const match = await client.fetchAll('1:*', { source: true })
    await client.logout()
    return match.map(({ source }) => source?.toString('latin1') ?? '')
  }

  const arrived = (user: TestUser, pattern: RegExp) =>
    eventually(
      async () => {
        const messages = await inbox(user)
        const match = messages.find((message) => pattern.test(message))
        if (!match)
          throw new Error(
            `no message of the ${messages.length} matches ${pattern}:\n${messages.join('\n\n')}`,
          )
        return match
      },
      { timeoutMs: 120_000 },
    )

  tested('delivers mail for local mailboxes, relays other mail', async () => {
    const [from, to] = [server.freshUser(), server.freshUser()]
    const { messageId } = await send(from, { to: [to.address, 'you@elsewhere.example'] })
    expect(await arrived(to, /^Subject: Hello/m)).toContain(messageId)
    await eventually(async () =>
      expect(await server.mail.accepted(messageId)).toMatchObject([
        { from: from.address, to: ['you@elsewhere.example'] },
      ]),
    )
  })

  tested('has TLS from the first byte on its second port', async () => {
    const [from, to] = [server.freshUser(), server.freshUser()]
    await send(from, { to: to.address }, { port: server.submissionsPort, secure: true })
    await arrived(to, /^Subject: Hello/m)
  })

  tested('rejects a wrong password, and mail without a login', async () => {
    const from = server.freshUser()
    const to = 'you@elsewhere.example'
    await expect(send(from, { to }, { auth: { ...from, pass: 'wrong' } })).rejects.toMatchObject({
      responseCode: 535,
    })
    await expect(send(from, { to }, { auth: undefined })).rejects.toMatchObject({
      code: 'EENVELOPE',
    })
  })

  tested('rejects a message above its size limit at MAIL', async () => {
    const from = server.freshUser()
    const text = 'x'.repeat(78).concat('\r\n').repeat(140_000)
    await expect(send(from, { to: from.address, text })).rejects.toThrow()
  })

  tested('returns a bounce if the next server rejects a message', async () => {
    const from = server.freshUser()
    const { messageId } = await send(from, { to: 'reject-550-nobody@elsewhere.example' })
    const bounce = await arrived(from, /^Action: failed/im)
    expect(bounce).toContain('Final-Recipient: rfc822; reject-550-nobody@elsewhere.example')
    expect(bounce).toMatch(/^Status: 5\.\d+\.\d+/m)
    expect(bounce).toContain(messageId)
    expect(bounce).toContain(reports)
  })

  tested('returns a success report to the sender who requested it', async () => {
    const [from, to] = [server.freshUser(), server.freshUser()]
    const dsn = { id: 'order-17', return: 'headers' as const, notify: ['success' as const] }
    await send(from, { to: to.address, dsn: { ...dsn, recipient: to.address } })
    const report = await arrived(from, /^Action: (?:relayed|delivered)/im)
    expect(report).toContain(`Final-Recipient: rfc822; ${to.address}`)
    if (name === 'Postfix') expect(report).toContain('Original-Envelope-Id: order-17')
    await arrived(to, /^Subject: Hello/m)
  })

  tested('returns a delay report for a deferred message', async () => {
    const from = server.freshUser()
    await send(from, { to: 'defer-451-later@elsewhere.example' })
    await arrived(from, /^Action: delayed/im)
  })
})

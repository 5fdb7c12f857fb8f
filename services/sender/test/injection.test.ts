import { afterAll, expect, test } from '@jest/globals'
import type { NewSubmission } from './fixture.ts'
import { senderFixture, serveCredentials } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'

// Tests of hostile values in submissions, which the API rejects. The sender must not send these
// values as SMTP commands either: rows may come from an earlier release or another path.

const fixture = await senderFixture()
const { addAccount, submit, finished } = fixture
const sender = await fixture.startSender()
const server = smtpServers()
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

// NUL is left out of the hostile values, because Postgres cannot store NUL.
const ends = ['\r\n', '\n', '\r', '\u0085', '\u2028', '>\r\n', '=0D=0A', '+0D+0A', '%0d%0a']
const command = 'RCPT TO:<evil@x.example>'
const hostile = ends.flatMap((end) => [`a${end}${command}${end}`, `a@b.example${end}${command}`])

const fields: Record<string, (value: string) => Partial<NewSubmission>> = {
  'envelope.from': (value) => ({ from: value }),
  'envelope.to': (value) => ({ to: [value] }),
  'dsn.id': (value) => ({ dsn: { id: value, return: 'full' } }),
  'dsn.recipient': (value) => ({ dsn: { return: 'full', recipient: value } }),
  'dsn.recipient with a type': (value) => ({
    dsn: { return: 'full', recipient: `rfc822;${value}` },
  }),
  'dsn.notify': (value) => ({ dsn: { return: 'full', notify: [value as 'success'] } }),
  'dsn.return': (value) => ({ dsn: { return: value as 'full' } }),
}

/**
 * Expects received SMTP commands of one line each, and only commands of `transactions`
 * transactions.
 */
function expectOneTransactionEach(received: readonly string[], transactions: number): void {
  for (const line of received) {
    expect(line).toMatch(/^(?:EHLO|STARTTLS|AUTH|MAIL FROM:<|RCPT TO:<|DATA$|\.$|RSET$|NOOP|QUIT$)/)
    expect(line).not.toMatch(/[\r\n\0]/)
  }
  const count = (verb: string) => received.filter((line) => line.startsWith(verb)).length
  expect(received.filter((line) => line.startsWith(command))).toEqual([])
  expect(count('RCPT')).toBeLessThanOrEqual(transactions)
  expect(count('DATA')).toBeLessThanOrEqual(transactions)
  expect(count('.')).toBe(count('DATA'))
}

test.each(Object.entries(fields))(
  'SmtpSession: line ends in %s, start no command',
  async (...row) => {
    const smtp = await server()
    const account = await addAccount(smtp)
    const queueIds = await Promise.all(
      hostile.map((value) => submit({ account, maxAttempts: 1, ...row[1](value) })),
    )
    await Promise.all(queueIds.map((queueId) => finished(queueId)))
    expectOneTransactionEach(smtp.received, hostile.length)
  },
)

test('SmtpSession: line ends in the EHLO name and the login, start no command', async () => {
  await using bridge = await serveCredentials(fixture.broker.url, () => ({
    user: `me\r\n${command}\r\n`,
    pass: `x\r\n${command}\r\n`,
  }))
  for (const smtpEhloName of hostile) {
    const smtp = await server({ requireLogin: true })
    const account = await addAccount(smtp, { useAuthServer: true })
    await fixture.db
      .updateTable('accounts')
      .set({ smtpEhloName })
      .where('account', '=', account)
      .execute()
    await finished(await submit({ account, maxAttempts: 1 }))
    expectOneTransactionEach(smtp.received, 1)
  }
  expect(bridge.requests.length).toBeGreaterThan(0)
})

const smuggled = `${command}\r\nDATA\r\nsmuggled\r\n.\r\n`
const dots = ['\r\n.\r\n', '\n.\n', '\r.\r', '\n.\r\n', '\r\n.\n', '\r\n.\r', '\r.\n', '\r\n..\r\n']

test('SmtpSession: dots and line ends in a message, end it only once', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  for (const dot of dots) {
    const mime = Buffer.from(`Subject: x\r\n\r\nfirst${dot}MAIL FROM:<a@b.example>\r\n${smuggled}`)
    expect(await finished(await submit({ account, mime }))).toMatchObject({ state: 'sent' })
    const text = smtp.accepted.at(-1)?.raw.toString() ?? ''
    expect(text).not.toMatch(/\r(?!\n)|(?<!\r)\n/)
    expect(text.replaceAll('\r\n', '')).toBe(mime.toString().replace(/[\r\n]/g, ''))
  }
  expect(smtp.accepted).toHaveLength(dots.length)
  expectOneTransactionEach(smtp.received, dots.length)
})

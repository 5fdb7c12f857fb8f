import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { hashToken, newToken } from '@posthorn/secrets'
import { eventually, sealedLogin, startProxy, testDovecot } from '@posthorn/testkit'
import { imapOf, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'
import { scriptedServer } from './scripted-server.ts'

const dovecot = await testDovecot()
const proxy = await testProxy()
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

const user = dovecot.freshUser()
let token: string
beforeAll(async () => {
  for (const account of ['acc', 'other'])
    await proxy.addAccount(account, imapOf(user), { user: user.user, pass: user.pass })
  token = await proxy.addToken({ account: 'acc' })
})

/**
 * Expected response of imap-proxy to LOGIN: one capability line, with the names of the interface
 * spec first, and the tagged response.
 */
const isIn = new RegExp(
  [
    '^\\* CAPABILITY IMAP4rev1 LITERAL\\+ SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY ' +
      '(?:(?!AUTH=|STARTTLS|LOGIN).)* CONDSTORE (?:(?!AUTH=|STARTTLS|LOGIN).)*',
    'a OK acc authenticated',
    '$',
  ].join('\r\n'),
)

test('before the login: greeting, CAPABILITY, ID, NOOP and LOGOUT', async () => {
  ;(await proxy.open()).close()
  const client = await RawClient.open(proxy.port)
  expect(await client.until(/\r\n/)).toBe(
    '* OK Posthorn IMAP Proxy ready for requests from 127.0.0.1\r\n',
  )
  expect(await client.command('a CAPABILITY')).toBe(
    '* CAPABILITY IMAP4rev1 LITERAL+ SASL-IR ID AUTH=PLAIN AUTH=OAUTHBEARER AUTH=XOAUTH2\r\na OK CAPABILITY completed\r\n',
  )
  expect(await client.command('b ID ("name" "x")')).toBe(
    '* ID ("name" "Posthorn")\r\nb OK ID completed\r\n',
  )
  expect(await client.command('c NOOP')).toBe('c OK NOOP completed\r\n')
  client.send('d LOGOUT\r\n')
  expect(await client.untilClosed()).toBe('* BYE Logging out\r\nd OK LOGOUT completed\r\n')
})

test.each<[string, (token: string) => string]>([
  ['atoms', (token) => `a LOGIN acc ${token}\r\n`],
  ['quoted strings', (token) => `a login "acc" "${token}"\r\n`],
  ['non-synchronising literals', (token) => `a LOGIN {3+}\r\nacc {64+}\r\n${token}\r\n`],
  ['PLAIN with an initial response', (token) => `a AUTHENTICATE PLAIN ${plain('', token)}\r\n`],
  ['PLAIN in its own name', (token) => `a AUTHENTICATE PLAIN ${plain('acc', token)}\r\n`],
  [
    'XOAUTH2',
    (token) => `a AUTHENTICATE XOAUTH2 ${base64(`user=acc\x01auth=Bearer ${token}\x01\x01`)}\r\n`,
  ],
  [
    'OAUTHBEARER',
    (token) =>
      `a authenticate oauthbearer ${base64(`n,a=acc,\x01host=x\x01auth=Bearer ${token}\x01\x01`)}\r\n`,
  ],
])('login: %s, in one chunk and byte by byte', async (_what, text) => {
  for (const pieces of [1, Infinity]) {
    const client = await proxy.open()
    for (const piece of pieces === 1 ? text(token) : [text(token)]) client.send(piece)
    expect(await client.until(/^a .*\r\n/m)).toMatch(isIn)
    expect(await client.command('b SELECT INBOX')).toMatch(/^b OK /m)
    client.close()
  }
})

test('login: account with a proxy and a sealed proxy login, connects through it', async () => {
  await using through = await startProxy({ user: 'me', pass: 's:cret' })
  await proxy.addAccount('behind', imapOf(user), { user: user.user, pass: user.pass })
  const key = await proxy.addToken({ account: 'behind' })
  const address = `socks5://me:s%3Acret@${through.host}:${through.port}`
  const logIn = async (url: string) => {
    await proxy.db
      .updateTable('accounts')
      .set({ proxy: url })
      .where('account', '=', 'behind')
      .execute()
    const client = await proxy.open()
    client.send(`a LOGIN behind ${key}\r\n`)
    const received = await client.until(/^a .*\r\n/m)
    client.close()
    return received
  }
  expect(await logIn(await sealedLogin(address))).toContain('a OK behind authenticated')
  expect(through.requests).toMatchObject([{ kind: 'socks5', user: 'me', pass: 's:cret' }])
  // The login of a network proxy that was sealed (encrypted) for another host cannot be unsealed.
  const moved = (await sealedLogin('socks5://me:x@h.example:1')).replace(
    'h.example:1',
    `${through.host}:${through.port}`,
  )
  expect(await logIn(moved)).toContain('a NO [UNAVAILABLE]')
  expect(through.requests).toHaveLength(1)
})

test('login: synchronizing literals, and PLAIN in two steps', async () => {
  const client = await proxy.open()
  client.send('a LOGIN {3}\r\n')
  expect(await client.until(/\r\n/)).toMatch(/^\+ /)
  client.send('acc {64}\r\n')
  expect(await client.until(/\r\n/)).toMatch(/^\+ /)
  client.send(`${token}\r\n`)
  expect(await client.until(/^a .*\r\n/m)).toMatch(isIn)
  client.close()

  const other = await proxy.open()
  other.send('a AUTHENTICATE PLAIN\r\n')
  expect(await other.until(/\r\n/)).toBe('+ \r\n')
  other.send(`${plain('', token)}\r\n`)
  expect(await other.until(/^a .*\r\n/m)).toMatch(isIn)
  other.close()
})

test('pipelined commands: reach the server in order, responses arrive after half-close', async () => {
  const client = await proxy.open()
  client.send(`a LOGIN acc ${token}\r\nb NOOP\r\nc CAPABILITY\r\nd SELECT INBOX\r\n`)
  client.socket.end()
  const text = await client.untilClosed()
  expect(text.match(/^[a-d] OK/gm)).toEqual(['a OK', 'b OK', 'c OK', 'd OK'])
  // The mail server's own capability list contains more than the capability line of imap-proxy.
  expect(text).toMatch(/^\* CAPABILITY .*CONDSTORE/m)
})

test('rejected login: same text for every reason', async () => {
  const refused = [
    ['acc', newToken()],
    ['acc', 'short'],
    ['unknown', token],
    ['unknown', await proxy.addToken({})],
    ['other', token],
    ['acc', await proxy.addToken({ scopes: ['api', 'smtp'] })],
    ['acc', await proxy.addToken({ expires: new Date(Date.now() - 1_000).toISOString() })],
    ['acc', await proxy.addToken({ permissions: { actions: ['read'] } })],
  ]
  for (const [n, [account, token]] of refused.entries()) {
    const client = await proxy.open(`127.0.1.${n + 1}`)
    expect(await client.command(`a LOGIN ${account} ${token}`)).toBe(
      'a NO [AUTHENTICATIONFAILED] Invalid credentials\r\n',
    )
    client.close()
  }
})

test.each<[string, (token: string) => string]>([
  ['LOGIN', (token) => `LOGIN other ${token}`],
  ['LOGIN with a quoted name', (token) => `LOGIN "other" "${token}"`],
  ['PLAIN', (token) => `AUTHENTICATE PLAIN ${base64(`\0other\0${token}`)}`],
  ['PLAIN for the own user', (token) => `AUTHENTICATE PLAIN ${base64(`acc\0other\0${token}`)}`],
  ['PLAIN for another user', (token) => `AUTHENTICATE PLAIN ${plain('other', token)}`],
  [
    'XOAUTH2',
    (token) => `AUTHENTICATE XOAUTH2 ${base64(`user=other\x01auth=Bearer ${token}\x01\x01`)}`,
  ],
  [
    'XOAUTH2 with two users',
    (token) =>
      `AUTHENTICATE XOAUTH2 ${base64(`user=other\x01user=acc\x01auth=Bearer ${token}\x01\x01`)}`,
  ],
  [
    'OAUTHBEARER',
    (token) => `AUTHENTICATE OAUTHBEARER ${base64(`n,a=other,\x01auth=Bearer ${token}\x01\x01`)}`,
  ],
])('rejected login: token of another account, %s', async (mechanism, command) => {
  const address = `127.0.4.${mechanism.length}`
  const attempt = async (token: string) => {
    const client = await proxy.open(address)
    client.send(`a ${command(token)}\r\n`)
    const reply = await client.until(/^a .*\r\n/m)
    client.close()
    return reply
  }
  const invalid = 'a NO [AUTHENTICATIONFAILED] Invalid credentials\r\n'
  expect(await attempt(token)).toBe(invalid)
  if (mechanism.startsWith('PLAIN for')) return
  // Control of the test: a token of the account that the LOGIN command names is accepted.
  const rightful = await proxy.addToken({ account: 'other' })
  expect(await attempt(rightful)).toContain('a OK other authenticated')
})

test('rejected login: address outside the token restriction', async () => {
  const elsewhere = await proxy.addToken({
    account: 'acc',
    restrictions: { addresses: ['192.0.2.0/24'] },
  })
  const here = await proxy.addToken({
    account: 'acc',
    restrictions: { addresses: ['127.0.0.0/8'] },
  })
  const client = await proxy.open()
  expect(await client.command(`a LOGIN acc ${elsewhere}`)).toBe(
    'a NO [AUTHENTICATIONFAILED] Access denied, traffic not accepted from this IP\r\n',
  )
  expect(await client.command(`b LOGIN acc ${here}`)).toMatch(/^b OK/m)
  client.close()
})

test('tokenAuditLog: records accepted and rejected logins', async () => {
  const auditedToken = await proxy.addToken({ account: 'acc' })
  const other = await proxy.addToken({ account: 'acc', scopes: ['smtp'] })
  const log = (token: string) =>
    proxy.db.selectFrom('tokenLog').selectAll().where('token', '=', hashToken(token)).execute()
  await proxy.set({ tokenAuditLog: true })
  // The setting `tokenAuditLog` is in effect once the token log has an entry.
  await eventually(async () => {
    const early = await proxy.open('127.0.2.1')
    await early.command(`a LOGIN acc ${token}`)
    early.close()
    expect(await log(token)).not.toEqual([])
  })
  const client = await proxy.open('127.0.2.1')
  expect(await client.command(`a LOGIN acc ${other}`)).toMatch(/^a NO/m)
  expect(await client.command(`b LOGIN acc ${auditedToken}`)).toMatch(/^b OK/m)
  client.close()
  const entry = { method: 'imap-proxy', path: 'LOGIN', account: 'acc', ip: '127.0.2.1' }
  await eventually(async () =>
    expect([await log(auditedToken), await log(other)]).toMatchObject([
      [{ ...entry, denied: null }],
      [{ ...entry, denied: 'Unauthorized scope' }],
    ]),
  )
})

test('rejected login: account without IMAP and failures of its server, own texts', async () => {
  const every = await proxy.addToken({ scopes: ['*' as never] })
  await proxy.addAccount('api-only', null)
  // The account with a mail API also has an IMAP server; the IMAP proxy does not serve accounts
  // with a mail API anyway.
  await proxy.addAccount('at-gmail', imapOf(user), { user: user.user, pass: user.pass })
  await proxy.db
    .updateTable('accounts')
    .set({ backend: 'gmail' })
    .where('account', '=', 'at-gmail')
    .execute()
  await proxy.addAccount('wrong-pass', imapOf(user), { user: user.user, pass: 'not it' })
  await proxy.addAccount('down', { ...imapOf(user), port: 1 }, { user: 'u', pass: 'p' })
  await proxy.addAccount(
    'no-token',
    imapOf(user),
    new AppError('unreachable', 'http://secret.example'),
  )
  for (const code of ['AppNotFound', 'InvalidBaseScopes'])
    await proxy.addAccount(code, imapOf(user), new AppError('internal', 'no application', { code }))
  const misconfigured = '[CONTACTADMIN] The OAuth2 application of the account cannot be used'
  const answers = new Map([
    ['api-only', 'a NO [ACCOUNTDISABLED] IMAP is not enabled for this account\r\n'],
    ['at-gmail', 'a NO [ACCOUNTDISABLED] IMAP is not enabled for this account\r\n'],
    ['wrong-pass', 'a NO [AUTHENTICATIONFAILED] The mail server refused the login\r\n'],
    ['down', 'a NO [UNAVAILABLE] Temporary failure, try again later\r\n'],
    ['no-token', 'a NO [UNAVAILABLE] Temporary failure, try again later\r\n'],
    ['AppNotFound', `a NO ${misconfigured}\r\n`],
    ['InvalidBaseScopes', `a NO ${misconfigured}\r\n`],
  ])
  for (const [account, answer] of answers) {
    const client = await proxy.open()
    expect(await client.command(`a LOGIN ${account} ${every}`)).toBe(answer)
    client.close()
  }
})

test('rejected access token: without a newer one, tried once', async () => {
  await using server = await scriptedServer(
    '* OK [CAPABILITY IMAP4rev1 AUTH=XOAUTH2 SASL-IR] hello\r\n',
    (line) => `${line.split(' ')[0]} NO [AUTHENTICATIONFAILED] no\r\n`,
  )
  const imap = { host: '127.0.0.1', port: server.port, tls: { rejectUnauthorized: false } }
  await proxy.addAccount('refused', imap, { user: 'u', accessToken: 't' })
  const client = await proxy.open()
  const key = await proxy.addToken({ account: 'refused' })
  expect(await client.command(`a LOGIN refused ${key}`)).toBe(
    'a NO [AUTHENTICATIONFAILED] The mail server refused the login\r\n',
  )
  expect(server.received.filter((line) => line.includes('AUTHENTICATE'))).toHaveLength(1)
  client.close()
})

test('login: stores the time of last use of the token', async () => {
  const own = await proxy.addToken({ account: 'acc' })
  const client = await proxy.open('127.0.2.2')
  expect(await client.command(`a LOGIN acc ${own}`)).toMatch(/^a OK/m)
  client.close()
  const used = await eventually(() =>
    proxy.db
      .selectFrom('tokens')
      .select('lastUsedIp')
      .where('id', '=', hashToken(own))
      .where('lastUsedAt', 'is not', null)
      .executeTakeFirstOrThrow(),
  )
  expect(used.lastUsedIp).toBe('127.0.2.2')
})

function plain(authorize: string, token: string): string {
  return base64(`${authorize}\0acc\0${token}`)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

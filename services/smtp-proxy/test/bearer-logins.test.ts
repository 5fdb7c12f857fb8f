import { afterAll, expect, test } from '@jest/globals'
import { newToken } from '@posthorn/secrets'
import { createTransport } from 'nodemailer'
import { queueIdOf, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const proxy = await testProxy()
afterAll(() => proxy[Symbol.asyncDispose]())
const { port, token, addToken, addAccount, outbox } = proxy

const base64 = (text: string) => Buffer.from(text).toString('base64')
const messages = {
  XOAUTH2: (account: string, secret: string) =>
    base64(`user=${account}\x01auth=Bearer ${secret}\x01\x01`),
  OAUTHBEARER: (account: string, secret: string) =>
    base64(`n,a=${account},\x01host=h\x01port=587\x01auth=Bearer ${secret}\x01\x01`),
}
const names = ['XOAUTH2', 'OAUTHBEARER'] as const

test('nodemailer with OAuth2: the access token admits to the account, another one does not', async () => {
  const transport = (user: string, accessToken: string) =>
    createTransport({
      host: '127.0.0.1',
      port,
      ignoreTLS: true,
      localAddress: accessToken === token ? '127.0.0.1' : '127.0.3.1',
      auth: { type: 'OAuth2', user, accessToken },
    })
  const mail = { from: 'me@example.com', to: 'a@example.com', text: 'hello' }
  const sent = await transport('acc', token).sendMail(mail)
  expect(await outbox(queueIdOf(sent))).toMatchObject({ account: 'acc' })
  await expect(transport('acc', newToken()).sendMail(mail)).rejects.toMatchObject({
    code: 'EAUTH',
    responseCode: 535,
  })
})

test.each(names)('AUTH %s: with and without initial response', async (name) => {
  const response = messages[name]('acc', token)
  for (const dialogue of [[`AUTH ${name} ${response}`], [`auth ${name.toLowerCase()}`, response]]) {
    const client = await RawClient.greeted(port)
    let last = ''
    for (const line of dialogue) last = await client.command(line)
    expect(last).toBe('235 2.7.0 Authentication successful')
    expect(await client.command(`AUTH ${name} ${response}`)).toMatch(/^503 /)
    expect(await client.command('MAIL FROM:<me@example.com>')).toMatch(/^250 /)
    client.close()
  }
})

test.each([
  ['XOAUTH2', { status: '401', schemes: 'bearer' }, ''],
  ['OAUTHBEARER', { status: 'invalid_token', schemes: 'bearer' }, 'AQ=='],
] as const)('AUTH %s: a refused token gets an error, then 535', async (name, error, answer) => {
  await addAccount(`tenant ${name}`)
  const refused: [string, string][] = [
    ['acc', newToken()],
    [`tenant ${name}`, token],
    ['missing', token],
    ['acc', await addToken({ account: 'acc', scopes: ['imap-proxy'] })],
  ]
  for (const [at, [account, secret]] of refused.entries()) {
    const client = await RawClient.greeted(port, `127.0.${name === 'XOAUTH2' ? 4 : 5}.${at + 1}`)
    const reply = await client.command(`AUTH ${name} ${messages[name](account, secret)}`)
    expect(reply).toBe(`334 ${base64(JSON.stringify(error))}`)
    expect(await client.command(answer)).toBe('535 5.7.8 Authentication credentials invalid')
    // The SMTP connection remains usable after a refused login.
    const login = `AUTH ${name} ${messages[name]('acc', token)}`
    expect(await client.command(login)).toMatch(/^235 /)
    client.close()
  }
})

test.each(names)('AUTH %s: an invalid or cancelled response gets 501', async (name) => {
  const other = name === 'XOAUTH2' ? 'OAUTHBEARER' : 'XOAUTH2'
  const invalid = [
    '=',
    '%%%',
    messages[other]('acc', token),
    messages[name]('', token),
    messages[name]('a\nb', token),
    messages[name]('acc', 'two words'),
    `${messages[name]('acc', token)} more`,
  ]
  for (const response of invalid) {
    const client = await RawClient.greeted(port)
    expect([response, await client.command(`AUTH ${name} ${response}`)]).toEqual([
      response,
      expect.stringMatching(/^501 /),
    ])
    client.close()
  }
  const client = await RawClient.greeted(port)
  expect(await client.command(`AUTH ${name}`)).toMatch(/^334/)
  expect(await client.command('*')).toMatch(/^501 .*aborted/)
  expect(await client.command('NOOP')).toMatch(/^250 /)
  client.close()
})

test('AUTH OAUTHBEARER: escaped separators in the account id', async () => {
  await addAccount('a=b,c')
  const secret = await addToken({ account: 'a=b,c' })
  const client = await RawClient.greeted(port)
  const login = `AUTH OAUTHBEARER ${messages.OAUTHBEARER('a=3Db=2Cc', secret)}`
  expect(await client.command(login)).toMatch(/^235 /)
  client.close()
})

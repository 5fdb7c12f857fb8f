import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const proxy = await testProxy({ maxSessionsPerAccount: 3, maxBufferedBytesPerAccount: 200_000 })
const impatient = await testProxy({ stallMs: 250, maxBufferedBytes: 200_000 })
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await impatient[Symbol.asyncDispose]()
})
await proxy.addAccount('neighbour')
const tokens = { acc: proxy.token, neighbour: await proxy.addToken({ account: 'neighbour' }) }
const { port } = proxy

const loginOf = (account: string, token: string) =>
  `AUTH PLAIN ${Buffer.from(`\0${account}\0${token}`).toString('base64')}`
const logIn = async (account: keyof typeof tokens) => {
  const client = await RawClient.greeted(port)
  return { client, reply: await client.command(loginOf(account, tokens[account])) }
}
const beginData = async (client: RawClient) => {
  await client.command('MAIL FROM:<me@example.com>')
  await client.command('RCPT TO:<a@example.com>')
  expect(await client.command('DATA')).toMatch(/^354 /)
}
const lines = (bytes: number) => Buffer.alloc(bytes, 'xxxxxxxxxxxxxx\r\n')

test('AccountLimits: sessions of one account beyond its limit, 454, not those of another account', async () => {
  const sessions = await Promise.all([logIn('acc'), logIn('acc'), logIn('acc')])
  for (const { reply } of sessions) expect(reply).toMatch(/^235 /)
  const further = await logIn('acc')
  expect(further.reply).toMatch(/^454 4\.7\.0 Too many sessions of this account/)
  const other = await logIn('neighbour')
  expect(other.reply).toMatch(/^235 /)
  for (const { client } of [...sessions, further, other]) client.close()
  for (const client of await threeSessions()) client.close()
})

test('AccountLimits: stalled transfers of one account, leave memory for another account', async () => {
  const [first, second, probe] = await threeSessions()
  for (const client of [first, second]) {
    await beginData(client)
    client.send(lines(99_200))
  }
  await eventually(async () => {
    // smtp-proxy accepts MAIL until the bytes of the messages in transfer have arrived. Without
    // RSET, a second MAIL would get 503.
    await probe.command('RSET')
    expect(await probe.command('MAIL FROM:<me@example.com> SIZE=9000')).toMatch(/^452 4\.3\.1 /)
  })
  const { client: neighbour } = await logIn('neighbour')
  await beginData(neighbour)
  neighbour.send(lines(192_000))
  neighbour.send('.\r\n')
  expect(await neighbour.reply()).toMatch(/^250 /)
  for (const client of [first, second]) {
    client.send('.\r\n')
    expect(await client.reply()).toMatch(/^250 /)
  }
  for (const client of [first, second, probe, neighbour]) client.close()
})

/** Opens three SMTP sessions of an account, once the sessions of the previous test have ended. */
const threeSessions = () =>
  eventually(async () => {
    const sessions = await Promise.all([logIn('acc'), logIn('acc'), logIn('acc')])
    const [one, two, three] = sessions.map(({ client }) => client)
    const isComplete = sessions.every(({ reply }) => reply.startsWith('235 '))
    if (!isComplete) for (const { client } of sessions) client.close()
    if (!isComplete || !one || !two || !three) throw new Error('sessions have not ended yet')
    return [one, two, three] as const
  })

test('StallTimer: a transfer without progress, ends with 421 and releases its memory', async () => {
  const { token } = impatient
  const client = await RawClient.greeted(impatient.port)
  await client.command(loginOf('acc', token))
  await beginData(client)
  client.send(lines(20_000))
  expect(await client.reply()).toMatch(/^421 4\.4\.2 The message took too long/)
  const next = await RawClient.greeted(impatient.port)
  await next.command(loginOf('acc', token))
  expect(await next.command('MAIL FROM:<me@example.com> SIZE=200000')).toMatch(/^250 /)
  client.close()
  next.close()
})

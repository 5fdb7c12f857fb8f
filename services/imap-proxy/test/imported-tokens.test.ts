import { afterAll, expect, test } from '@jest/globals'
import { hashToken, newToken, tokenIds } from '@posthorn/secrets'
import { testDovecot } from '@posthorn/testkit'
import { imapOf, testProxy } from './proxy.ts'

const dovecot = await testDovecot()
const proxy = await testProxy()
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

const user = dovecot.freshUser()
await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
await proxy.addAccount('other', imapOf(user), { user: user.user, pass: user.pass })

/** Stores an access token as an import from EmailEngine does. Returns the token's value and id. */
async function importToken(changes: { account?: string; restrictions?: string } = {}) {
  const value = newToken()
  const id = tokenIds(value).imported ?? ''
  await proxy.db
    .insertInto('tokens')
    .values({ id, scopes: ['imap-proxy'], imported: true, account: 'acc', ...changes })
    .execute()
  return { value, id }
}

async function logIn(token: string, account = 'acc'): Promise<string> {
  const client = await proxy.open()
  const reply = await client.command(`a LOGIN ${account} ${token}`)
  client.close()
  return reply
}

test('imported token: logs in with hex digits of both cases, and to its account only', async () => {
  const { value } = await importToken()
  for (const token of [value, value.toUpperCase()]) expect(await logIn(token)).toMatch(/^a OK/m)
  expect(await logIn(value, 'other')).toMatch(/^a NO \[AUTHENTICATIONFAILED\]/m)
})

test('imported token: restricted to other addresses, is rejected', async () => {
  const { value } = await importToken({
    restrictions: JSON.stringify({ addresses: ['192.0.2.1'] }),
  })
  expect(await logIn(value)).toMatch(/Access denied, traffic not accepted from this IP/)
})

test('ids: match only tokens of their kind, and are no tokens', async () => {
  const { id } = await importToken()
  const own = 'x'.repeat(32)
  const misused = newToken()
  const row = { scopes: ['imap-proxy'], account: 'acc' }
  await proxy.db
    .insertInto('tokens')
    .values([
      { ...row, id: hashToken(own) },
      { ...row, id: hashToken(misused), imported: true },
    ])
    .execute()
  expect(await logIn(own)).toMatch(/^a OK/m)
  for (const token of [id, misused, hashToken(own), Buffer.from(own).toString('hex')])
    expect(await logIn(token)).toMatch(/^a NO \[AUTHENTICATIONFAILED\]/m)
})

test('imported token that is revoked: ends its sessions', async () => {
  const { value, id } = await importToken()
  const client = await proxy.open()
  expect(await client.command(`a LOGIN acc ${value}`)).toMatch(/^a OK/m)
  await proxy.db.deleteFrom('tokens').where('id', '=', id).execute()
  expect(await client.untilClosed()).toMatch(/^(\* BYE Access was withdrawn\r\n)?$/)
  expect(await logIn(value)).toMatch(/^a NO \[AUTHENTICATIONFAILED\]/m)
})

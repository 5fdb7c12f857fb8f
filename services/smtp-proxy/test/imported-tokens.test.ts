import { afterAll, expect, test } from '@jest/globals'
import { hashToken, newToken, tokenIds } from '@posthorn/secrets'
import { createTransport } from 'nodemailer'
import { testProxy } from './proxy.ts'

const proxy = await testProxy()
afterAll(() => proxy[Symbol.asyncDispose]())
const { db, send, port } = proxy

/** Stores an access token as an import from EmailEngine does. Returns the token's value and id. */
async function importToken(restrictions?: object) {
  const value = newToken()
  const id = tokenIds(value).imported ?? ''
  const row = { id, scopes: ['smtp'], account: 'acc', imported: true }
  await db
    .insertInto('tokens')
    .values({ ...row, ...(restrictions && { restrictions: JSON.stringify(restrictions) }) })
    .execute()
  return { value, id }
}

const refused = { responseCode: 535 }

test('imported token: submits with hex digits of both cases, but not as its id', async () => {
  const { value, id } = await importToken()
  for (const pass of [value, value.toUpperCase()])
    expect((await send({}, { pass })).response).toMatch(/^250 /)
  await expect(send({}, { pass: id })).rejects.toMatchObject(refused)
})

test('ids: match only tokens of their kind', async () => {
  const own = 'x'.repeat(32)
  const misused = newToken()
  const row = { scopes: ['smtp'], account: 'acc' }
  await db
    .insertInto('tokens')
    .values([
      { ...row, id: hashToken(own) },
      { ...row, id: hashToken(misused), imported: true },
    ])
    .execute()
  expect((await send({}, { pass: own })).response).toMatch(/^250 /)
  for (const pass of [misused, Buffer.from(own).toString('hex')])
    await expect(send({}, { pass })).rejects.toMatchObject(refused)
})

test('imported token: rate limit and addresses are checked', async () => {
  const limited = await importToken({ rateLimit: { maxRequests: 1, timeWindow: 31_536_000 } })
  await send({}, { pass: limited.value })
  await expect(send({}, { pass: limited.value })).rejects.toMatchObject({ responseCode: 450 })
  const elsewhere = await importToken({ addresses: ['192.0.2.1'] })
  await expect(send({}, { pass: elsewhere.value })).rejects.toMatchObject(refused)
})

test('imported token that is revoked or expires: ends its session', async () => {
  const ends = [
    (id: string) => db.deleteFrom('tokens').where('id', '=', id).execute(),
    (id: string) =>
      db
        .updateTable('tokens')
        .set({ expiresAt: new Date(0) })
        .where('id', '=', id)
        .execute(),
  ]
  for (const end of ends) {
    const { value, id } = await importToken()
    const auth = { user: 'acc', pass: value }
    const pool = { pool: true, maxConnections: 1, ignoreTLS: true } as const
    const pooled = createTransport({ ...pool, host: '127.0.0.1', port, auth })
    const mail = { from: 'me@example.com', to: 'a@example.com', text: 'x' }
    expect((await pooled.sendMail(mail)).response).toMatch(/^250 /)
    await end(id)
    // smtp-proxy replies 421 if the periodic revalidation of sessions came first.
    await expect(pooled.sendMail(mail)).rejects.toMatchObject({
      response: expect.stringMatching(/^(535|421) /),
    })
    pooled.close()
  }
})

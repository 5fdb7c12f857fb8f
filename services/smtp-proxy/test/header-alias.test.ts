import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { type Mail, queueIdOf, testProxy } from './proxy.ts'

const proxy = await testProxy()
afterAll(() => proxy[Symbol.asyncDispose]())
const { send, outbox, count, addAccount, set } = proxy
await addAccount('moved')

const withHeaders = (headers: Record<string, string>): Mail => ({ headers, text: 'x' })
const aliasOf = async (sent: Awaited<ReturnType<typeof send>>) => {
  const { mime, ...row } = await outbox(queueIdOf(sent))
  const aliases = mime?.toString().match(/^x-ee-[^:]*/gim) ?? []
  // The SMTP client nodemailer changes the case of header names.
  return { ...row, aliases: aliases.map((name) => name.toLowerCase()) }
}

test('webhooksHeaderAlias: unset, headers of EmailEngine are part of the message', async () => {
  const headers = { 'X-EE-Account': 'moved', 'X-EE-Idempotency-Key': 'k0' }
  expect(await aliasOf(await send(withHeaders(headers)))).toMatchObject({
    account: 'acc',
    idempotencyKey: null,
    aliases: ['x-ee-account', 'x-ee-idempotency-key'],
  })
})

test('webhooksHeaderAlias: switched on and off, is used without a restart', async () => {
  const key = withHeaders({ 'X-EE-Idempotency-Key': 'k1', 'X-EE-Other': 'x' })
  await set({ webhooksHeaderAlias: 'X-EE-' })
  await eventually(async () =>
    expect(await aliasOf(await send(key))).toMatchObject({
      idempotencyKey: 'k1',
      aliases: ['x-ee-other'],
    }),
  )
  const before = await count()
  const replies = await Promise.all(Array.from({ length: 4 }, () => send(key)))
  expect(new Set(replies.map(queueIdOf)).size).toBe(1)
  expect(await count()).toBe(before)
  const both = withHeaders({ 'X-EE-Idempotency-Key': 'k1', 'X-SVC-Idempotency-Key': 'k2' })
  expect(await aliasOf(await send(both))).toMatchObject({ idempotencyKey: 'k2', aliases: [] })
  const invalid = withHeaders({ 'X-EE-Idempotency-Key': 'k'.repeat(1_025) })
  await expect(send(invalid)).rejects.toMatchObject({
    response: '554 5.6.0 The header x-ee-idempotency-key has an invalid value',
  })
  await set({ webhooksHeaderAlias: '' })
  await eventually(async () =>
    expect(await aliasOf(await send(key))).toMatchObject({
      idempotencyKey: null,
      aliases: ['x-ee-idempotency-key', 'x-ee-other'],
    }),
  )
})

test('X-EE-Account: is ignored after a login and names the account without login', async () => {
  await set({ webhooksHeaderAlias: 'X-EE-' })
  const account = withHeaders({ 'X-EE-Account': 'moved' })
  await eventually(async () =>
    expect(await aliasOf(await send(account))).toMatchObject({ account: 'acc', aliases: [] }),
  )
  const overlong = withHeaders({ 'X-EE-Account': 'a'.repeat(300) })
  expect(await aliasOf(await send(overlong))).toMatchObject({ account: 'acc', aliases: [] })
  await set({ smtpServerAuthEnabled: false })
  const open = { options: { auth: undefined } }
  await eventually(async () =>
    expect(await aliasOf(await send(account, open))).toMatchObject({
      account: 'moved',
      aliases: [],
    }),
  )
  const both = withHeaders({ 'X-EE-Account': 'missing', 'X-SVC-Account': 'acc' })
  expect(await aliasOf(await send(both, open))).toMatchObject({ account: 'acc', aliases: [] })
  await expect(send(withHeaders({ 'X-EE-Account': 'missing' }), open)).rejects.toMatchObject({
    response: '550 5.7.1 Account not found',
  })
  await set({ webhooksHeaderAlias: '' })
  await eventually(
    async () =>
      await expect(send(account, open)).rejects.toMatchObject({
        response: '550 5.7.1 Log in, or name an account in the header X-SVC-Account',
      }),
  )
})

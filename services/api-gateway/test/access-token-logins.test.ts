import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { verifyImap, verifySmtp } from '@posthorn/contracts/commands/verify'
import { destinationOf } from '@posthorn/contracts/schemas/destination'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
const tested: unknown[] = []
for (const command of [verifyImap, verifySmtp])
  await bus.serve({
    queue: command === verifyImap ? 'verify.imap' : 'verify.smtp',
    handlers: [
      on(command, async ({ credentials }) => {
        tested.push(credentials)
        return { verdict: { success: true } }
      }),
    ],
  })
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
const imap = { host: 'imap.mail.example', port: 993, secure: true }
const smtp = { host: 'smtp.mail.example', port: 587 }
const user = 'me@mail.example'
const mask = '******'
const kinds = ['imap', 'smtp'] as const

const get = async (account: string) => (await call('GET', `/v1/account/${account}`)).body
const put = (account: string, body: object, token?: string) =>
  call('PUT', `/v1/account/${account}`, token === undefined ? { body } : { body, token })
const pathsOf = ({ status, body }: Awaited<ReturnType<typeof put>>) => [
  status,
  body.fields?.map(({ path }) => path),
]
const messagesOf = ({ body }: Awaited<ReturnType<typeof put>>) =>
  (body.fields as { message: string }[] | undefined)?.map(({ message }) => message)

/** Registers an account whose IMAP and SMTP servers use the same access token. */
async function register(account: string, accessToken = 'at'): Promise<void> {
  const auth = { user, accessToken }
  const body = { account, name: account, imap: { ...imap, auth }, smtp: { ...smtp, auth } }
  expect(await call('POST', '/v1/account', { body })).toMatchObject({ status: 200 })
}

/**
 * Finds and unseals the access token of an account's mail server, with the binding that limits its
 * use.
 */
async function secretOf(account: string, kind: (typeof kinds)[number]) {
  const { sealed } = await db
    .selectFrom('credentials')
    .select('sealed')
    .where('account', '=', account)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return unsealer.open(sealed, `credentials/${account}/${kind}`)
}

const versionOf = async (account: string) => {
  const row = db.selectFrom('accounts').select('version').where('account', '=', account)
  return Number((await row.executeTakeFirstOrThrow()).version)
}

test('createAccount: access tokens, are sealed for their server and shown masked', async () => {
  await register('sealed')
  const auth = { user, accessToken: mask }
  const record = await get('sealed')
  expect(record).toMatchObject({ type: 'imap', email: user, imap: { auth }, smtp: { auth } })
  expect(JSON.stringify(record)).not.toContain('"pass"')
  for (const kind of kinds) {
    const to = destinationOf(kind === 'imap' ? imap : smtp, { user })
    expect(await secretOf('sealed', kind)).toEqual({
      value: 'at',
      binding: { to, form: 'accessToken' },
    })
  }
  const row = await db.selectFrom('accounts').selectAll().where('account', '=', 'sealed').execute()
  expect(JSON.stringify(row)).not.toContain('"at"')
})

test('updateAccount: account as read, keeps its token and its sessions', async () => {
  await register('unchanged')
  const [{ imap: read, smtp: readSmtp }, version] = [
    await get('unchanged'),
    await versionOf('unchanged'),
  ]
  expect(await put('unchanged', { imap: read, smtp: readSmtp })).toMatchObject({ status: 200 })
  const partial = { partial: true, auth: { user } }
  expect(await put('unchanged', { imap: partial, smtp: partial })).toMatchObject({ status: 200 })
  expect(await versionOf('unchanged')).toBe(version)
  for (const kind of kinds) expect((await secretOf('unchanged', kind)).value).toBe('at')
})

test('updateAccount: new token, replaces the old one and restarts the sessions', async () => {
  await register('renewed')
  const version = await versionOf('renewed')
  const update = { imap: { partial: true, auth: { user, accessToken: 'at2' } } }
  expect(await put('renewed', update)).toMatchObject({ status: 200 })
  expect(await versionOf('renewed')).toBe(version + 1)
  expect((await secretOf('renewed', 'imap')).value).toBe('at2')
  expect((await secretOf('renewed', 'smtp')).value).toBe('at')
})

test('updateAccount: a password replaces a token and a token a password', async () => {
  await register('changes')
  const update = (auth: object) => put('changes', { imap: { partial: true, auth } })
  expect(await update({ user, pass: 'pw', accessToken: false })).toMatchObject({ status: 200 })
  expect(await get('changes')).toMatchObject({ imap: { auth: { user, pass: mask } } })
  expect(await secretOf('changes', 'imap')).toEqual({
    value: 'pw',
    binding: { to: destinationOf(imap, { user }) },
  })
  expect(await update({ user, accessToken: false })).toMatchObject({ status: 200 })
  expect(await update({ user, accessToken: 'at' })).toMatchObject({ status: 200 })
  const { auth } = (await get('changes'))['imap'] as { auth: object }
  expect(auth).toEqual({ user, accessToken: mask })
})

test.each<[string, object, string, string]>([
  ['both', { user, pass: 'p', accessToken: 'a' }, 'accessToken', 'is not allowed with pass'],
  ['neither', { user, accessToken: false }, 'pass', 'is required'],
  ['mask of a password', { user, pass: mask }, 'pass', 'is required'],
  ['mask for another user', { user: 'x', accessToken: mask }, 'accessToken', 'is required again'],
])('updateAccount: account with a token, %s is rejected', async (...row) => {
  const [name, auth, field, message] = row
  const account = name.replaceAll(' ', '-')
  await register(account)
  const refused = await put(account, { imap: { ...imap, auth } })
  expect(pathsOf(refused)).toEqual([400, [`imap.auth.${field}`]])
  expect(messagesOf(refused)).toEqual([expect.stringContaining(message)])
  const partial = await put(account, { imap: { partial: true, auth } })
  expect(pathsOf(partial)).toEqual([400, [`imap.auth.${field}`]])
  expect((await secretOf(account, 'imap')).value).toBe('at')
})

test.each<[string, object]>([
  ['host', { host: 'evil.example' }],
  ['port', { port: 1993 }],
  ['security', { secure: false }],
  ['certificate check', { tls: { rejectUnauthorized: false } }],
])('updateAccount: another %s requires the token again, for every caller', async (name, change) => {
  const account = `bound-${name.replaceAll(' ', '-')}`
  await register(account)
  for (const token of [undefined, await mint(call, { account })]) {
    const refused = await put(account, { imap: { ...change, partial: true } }, token)
    if (token === undefined) expect(pathsOf(refused)).toEqual([400, ['imap.auth.accessToken']])
    else expect([400, 403]).toContain(refused.status)
  }
  const auth = { user, accessToken: 'new' }
  const own = await mint(call, { account })
  expect(await put(account, { imap: { ...change, partial: true, auth } }, own)).toMatchObject({
    status: 200,
  })
  const { imap: stored } = (await get(account)) as { imap: Parameters<typeof destinationOf>[0] }
  expect(await secretOf(account, 'imap')).toEqual({
    value: 'new',
    binding: { to: destinationOf(stored, { user }), form: 'accessToken' },
  })
})

test('verifyAccount: tests access tokens of both servers, and rejects two secrets', async () => {
  const auth = { user, accessToken: 'at' }
  const verify = (body: object) => call('POST', '/v1/verifyAccount', { body })
  const servers = { imap: { ...imap, auth }, smtp: { ...smtp, auth } }
  expect((await verify(servers)).body).toEqual({ imap: { success: true }, smtp: { success: true } })
  expect(tested).toEqual([auth, auth])
  const both = await verify({ imap: { ...imap, auth: { ...auth, pass: 'p' } } })
  expect(pathsOf(both)).toEqual([400, ['imap.auth.accessToken']])
  const neither = await verify({ smtp: { ...smtp, auth: { user, accessToken: false } } })
  expect(pathsOf(neither)).toEqual([400, ['smtp.auth.pass']])
})

test('createAccount: with passwords, stays as it was', async () => {
  await call('POST', '/v1/account', { body: registration('typed') })
  const { value, binding } = await secretOf('typed', 'imap')
  expect([value, Object.keys(binding ?? {})]).toEqual(['pass of typed', ['to']])
})

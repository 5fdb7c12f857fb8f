import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import {
  checkAccountTransfers,
  maxTransferBatch,
  sealAccountTransfers,
} from '@posthorn/contracts/commands/account-transfers'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import { AppError } from '@posthorn/errors'
import { keyPairFromSecret } from '@posthorn/secrets'
import { sql } from 'kysely'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start({})
const { db } = servers
const bus = await servers.connectBus()
afterAll(async () => bus[Symbol.asyncDispose]())

const listed = keyPairFromSecret('another instance').publicKey
const exports: { accounts: string[]; token: string | null }[] = []
const checks: string[][] = []
/** Reasons for which the fake of auth-bridge rejects accounts, by account. */
const reasons = new Map<string, 'otherKey' | 'otherUse'>()
/** Number of results that the fake of auth-bridge leaves out at the end of a reply. */
let omitted = 0

await bus.serve({
  queue: 'credentials',
  keys: ['credentials'],
  handlers: [
    on(sealAccountTransfers, async ({ accounts, publicKey, token }) => {
      exports.push({ accounts, token })
      if (publicKey !== listed.text)
        throw new AppError('forbidden', 'The public key is not permitted: add it', {
          code: 'ApiEndpointDisabled',
        })
      const failed = accounts.filter((account) => account === 'lost')
      const kept = accounts.filter((account) => account !== 'lost')
      return { accounts: kept.map((account) => transferOf(account)), failed }
    }),
    on(checkAccountTransfers, async ({ accounts }) => {
      checks.push(accounts.map(({ account }) => account))
      const results = accounts.map(({ account, credentials }) => {
        const reason = reasons.get(account)
        return reason ? { reason } : { credentials: checkedOf(credentials) }
      })
      return { results: results.slice(0, results.length - omitted) }
    }),
  ],
})

type Credentials = AccountTransfer['credentials']

/** Credentials of an imported account as the fake of auth-bridge seals them for this instance. */
function checkedOf(credentials: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).map(([kind, sealed]) => [kind, `checked ${sealed}`]),
  )
}

function transferOf(account: string, changes: Partial<AccountTransfer> = {}): AccountTransfer {
  return {
    account,
    name: `Name of ${account}`,
    email: `${account}@mail.example`,
    imap: { host: 'imap.mail.example', port: 993, secure: true, auth: { user: account } },
    smtp: { host: 'smtp.mail.example', port: 465, secure: true, auth: { user: account } },
    credentials: { imap: `sealed imap ${account}`, smtp: `sealed smtp ${account}` },
    ...changes,
  }
}

const post = (accounts: unknown[], more: object = {}) =>
  call('POST', '/admin/api/accountImports', { body: { accounts, ...more } })

async function results(accounts: unknown[], more?: object) {
  const { status, body } = await post(accounts, more)
  return { status, results: body['results'] }
}

const stored = (account: string) =>
  db.selectFrom('accounts').selectAll().where('account', '=', account).executeTakeFirst()
const sealedOf = async (account: string) => {
  const columns = ['kind', 'sealed'] as const
  const rows = await db
    .selectFrom('credentials')
    .select(columns)
    .where('account', '=', account)
    .execute()
  return Object.fromEntries(rows.map(({ kind, sealed }) => [kind, sealed]))
}

beforeEach(async () => {
  exports.length = 0
  checks.length = 0
  reasons.clear()
  omitted = 0
  await db.deleteFrom('accounts').execute()
  await db.deleteFrom('events').execute()
})

test('listKeys: lists the public key with which the instance seals', async () => {
  const { id, text } = keyPairFromSecret(servers.env.SVC_SECRET).publicKey
  const { body } = await call('GET', '/admin/api/keys')
  expect(body).toEqual({ keys: [{ id, publicKey: text, current: true }] })
})

test('account transfers: need the scope *', async () => {
  const token = await mint(call, { description: 'x', scopes: ['api'] })
  const paths = [
    ['GET', '/admin/api/keys', undefined],
    ['POST', '/admin/api/accountExports', { publicKey: listed.text }],
    ['POST', '/admin/api/accountImports', { accounts: [transferOf('jane')] }],
  ] as const
  for (const [method, path, body] of paths)
    expect([path, (await call(method, path, { token, body })).status]).toEqual([path, 403])
})

test('exportAccounts: pages through all accounts, in commands of limited size', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `a${String(index).padStart(3, '0')}`)
  for (const start of [0, 60])
    await post(ids.slice(start, start + 60).map((account) => transferOf(account)))
  const read = (cursor?: unknown) =>
    call('POST', '/admin/api/accountExports', {
      body: { publicKey: listed.text, pageSize: 80, ...(cursor ? { cursor } : {}) },
    })
  const first = await read()
  const second = await read(first.body['nextCursor'])
  const pages = [first, second].map(({ body }) =>
    (body['accounts'] as AccountTransfer[]).map(({ account }) => account),
  )
  expect(pages).toEqual([ids.slice(0, 80), ids.slice(80)])
  expect([first.body['nextCursor'], second.body['nextCursor']]).toEqual([
    expect.stringMatching(/^account_/),
    null,
  ])
  const sizes = exports.map(({ accounts }) => accounts.length)
  expect(sizes.sort((a, b) => a - b)).toEqual([30, 40, maxTransferBatch])
  expect(exports.every(({ token }) => token !== null)).toBe(true)
  // Without the validation of cursors, an account id as cursor would end the export of accounts
  // early.
  expect(await read('zzz')).toMatchObject({ status: 400, body: { code: 'InvalidCursorValue' } })
})

test('exportAccounts: exports the named accounts, reports those that cannot be unsealed', async () => {
  await post(['jane', 'lost', 'ada'].map((account) => transferOf(account)))
  const accounts = ['lost', 'jane', 'missing']
  const body = { publicKey: listed.text, accounts }
  const answer = await call('POST', '/admin/api/accountExports', { body })
  expect(answer).toMatchObject({
    status: 200,
    body: { accounts: [{ account: 'jane' }], failed: [{ account: 'lost' }], nextCursor: null },
  })
})

test('exportAccounts: 403 for a key that is not listed, also without accounts', async () => {
  const { text: publicKey } = keyPairFromSecret('a thief').publicKey
  const answer = await call('POST', '/admin/api/accountExports', { body: { publicKey } })
  expect(answer).toMatchObject({ status: 403, body: { code: 'ApiEndpointDisabled' } })
  const wrong = await call('POST', '/admin/api/accountExports', { body: { publicKey: 'short' } })
  expect(wrong.status).toBe(400)
})

test('importAccounts: stores all members, the checked secrets and the event accountAdded', async () => {
  const transfer = transferOf('jane', {
    path: ['INBOX'],
    expectedEmail: 'jane@mail.example',
    copy: false,
    logs: true,
    paused: true,
    notifyFrom: '2999-01-01T00:00:00.000Z',
    smtpEhloName: 'host.example',
    imapIndexer: 'fast',
    locale: 'et',
    tz: 'Europe/Tallinn',
    webhooks: 'https://hooks.example/x',
    tenantSet: ['webhooks'],
  })
  expect(await results([transfer])).toEqual({
    status: 200,
    results: [{ account: 'jane', result: 'imported' }],
  })
  const { imap, smtp, credentials: _sealed, notifyFrom, ...plain } = transfer
  expect(await stored('jane')).toMatchObject({
    ...plain,
    imap,
    smtp,
    notifyFrom: new Date(notifyFrom ?? ''),
  })
  expect(await sealedOf('jane')).toEqual({
    imap: 'checked sealed imap jane',
    smtp: 'checked sealed smtp jane',
  })
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'jane')
    .execute()
  expect(events).toEqual([{ event: 'accountAdded' }])
})

test('importAccounts: paused and notifyFrom replace exported values', async () => {
  const past = '2020-01-01T00:00:00.000Z'
  await post([transferOf('now', { notifyFrom: past })])
  const since = '2026-01-02T03:04:05.000Z'
  await post([transferOf('since', { notifyFrom: past })], { notifyFrom: since, paused: true })
  const [now, other] = [await stored('now'), await stored('since')]
  expect(now?.notifyFrom.getTime()).toBeGreaterThan(Date.parse(since))
  expect(other).toMatchObject({ notifyFrom: new Date(since), paused: true })
  expect(now?.paused).toBe(false)
})

test('importAccounts: an existing account stays unchanged, and is not sent to auth-bridge', async () => {
  await post([transferOf('jane')])
  const before = await stored('jane')
  checks.length = 0
  const again = transferOf('jane', { name: 'Other', credentials: { imap: 'x', smtp: 'y' } })
  expect(await results([again, transferOf('ada'), transferOf('ada')])).toEqual({
    status: 200,
    results: [
      { account: 'jane', result: 'exists' },
      { account: 'ada', result: 'imported' },
      { account: 'ada', result: 'exists' },
    ],
  })
  expect(await stored('jane')).toEqual(before)
  expect(await sealedOf('jane')).toMatchObject({ imap: 'checked sealed imap jane' })
  expect(checks).toEqual([['ada', 'ada']])
})

test('importAccounts: 500 for an account without a result of auth-bridge', async () => {
  omitted = 1
  expect((await post([transferOf('jane'), transferOf('ada')])).status).toBe(500)
  expect(await stored('ada')).toBeUndefined()
})

test('importAccounts: rejects single accounts with their reason', async () => {
  reasons.set('foreign', 'otherKey').set('forged', 'otherUse')
  const { smtp, ...withoutSmtp } = transferOf('extra')
  const accounts = [
    transferOf('foreign'),
    transferOf('forged'),
    transferOf('missing', { credentials: { imap: 'sealed' } }),
    withoutSmtp,
    transferOf('app', { oauth2: { provider: 'none', auth: { user: 'x' } } }),
    transferOf('fine'),
  ]
  expect(smtp).toBeDefined()
  const { results: list } = await results(accounts)
  expect(list).toMatchObject([
    { account: 'foreign', result: 'rejected', reason: 'otherKey' },
    { account: 'forged', result: 'rejected', reason: 'otherUse' },
    { reason: 'invalid', message: expect.stringContaining('is required') },
    { reason: 'invalid', message: expect.stringContaining('has no login') },
    { reason: 'invalid' },
    { account: 'fine', result: 'imported' },
  ])
  const rows = await db.selectFrom('accounts').select('account').execute()
  expect(rows).toEqual([{ account: 'fine' }])
})

test('importAccounts: OAuth2 accounts use the mapped application, each user once', async () => {
  const app = { id: 'here', name: 'Gmail', provider: 'gmail', config: '{}' } as const
  await db.insertInto('oauth2Apps').values(app).execute()
  const oauth2 = { provider: 'there', auth: { user: 'jane@gmail.example' } }
  const imap = { host: 'imap.gmail.com', port: 993, secure: true }
  const transfers = ['jane', 'twin'].map((account) => {
    const { smtp: _smtp, ...rest } = transferOf(account, { imap, oauth2 })
    return { ...rest, credentials: { oauth2: 'sealed' } }
  })
  const { results: list } = await results(transfers, { applications: { there: 'here' } })
  expect(list).toMatchObject([
    { account: 'jane', result: 'imported' },
    { account: 'twin', result: 'rejected', reason: 'userExists' },
  ])
  expect(await stored('jane')).toMatchObject({ oauth2: { ...oauth2, provider: 'here' }, imap })
  // The mail servers of the OAuth2 provider are not added: the exported account has no outgoing
  // server.
  expect(await stored('jane')).toMatchObject({ smtp: null })
  expect(await sealedOf('jane')).toEqual({ oauth2: 'checked sealed' })
})

test('importAccounts: 400 for a wrong shape, nothing is stored', async () => {
  const wrong = [
    { ...transferOf('b'), imap: { host: 'imap.mail.example', port: 'x' } },
    { ...transferOf('b'), unknown: true },
    { ...transferOf('b'), credentials: undefined },
    { ...transferOf('b'), imap: { ...transferOf('b').imap, auth: { user: 'b', pass: 'plain' } } },
  ]
  for (const transfer of wrong) expect((await post([transferOf('a'), transfer])).status).toBe(400)
  expect((await post(Array.from({ length: 101 }, (_, i) => transferOf(`${i}`)))).status).toBe(400)
  expect(await db.selectFrom('accounts').select('account').execute()).toEqual([])
})

test('importAccounts: after a failure between two accounts, a repeat stores the others', async () => {
  await sql`create function fail_import() returns trigger language plpgsql as
    $$ begin raise exception 'stopped'; end $$`.execute(db)
  await sql`create trigger fail_import before insert on credentials for each row
    when (new.account = 'second') execute function fail_import()`.execute(db)
  const accounts = ['first', 'second', 'third'].map((account) => transferOf(account))
  expect((await post(accounts)).status).toBe(500)
  expect((await stored('first'))?.account).toBe('first')
  expect(await stored('second')).toBeUndefined()
  await sql`drop trigger fail_import on credentials`.execute(db)
  const { results: list } = await results(accounts)
  expect(list).toEqual([
    { account: 'first', result: 'exists' },
    { account: 'second', result: 'imported' },
    { account: 'third', result: 'imported' },
  ])
})

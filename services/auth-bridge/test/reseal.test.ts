import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { connect, type Db } from '@posthorn/db'
import {
  createUnsealer,
  createResealer,
  createSealer,
  keyPairFromSecret,
  type Resealer,
} from '@posthorn/secrets'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { countKeys, resealAll } from '../src/reseal/reseal.ts'
import { sealedTables } from '../src/store/sealed-columns.ts'

const database = await testDatabase()
const roleUrl = database.roleUrl('posthorn_auth_bridge')
const db = connect(roleUrl, { name: 'test', max: 2 })
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const [old, next] = ['the first', 'the second'].map(keyPairFromSecret)
if (!old || !next) throw new Error('no keys')
const sealer = createSealer(old.publicKey)
const resealer = createResealer(next.publicKey, [next.privateKey, old.privateKey])
const onlyNew = createUnsealer([next.privateKey])

async function fill(owner: Db): Promise<void> {
  for (const account of ['a', 'b', 'c']) {
    await owner
      .insertInto('accounts')
      .values({ account, shard: shardOf(account), name: account })
      .execute()
    const sealed = await sealer.seal(`pass of ${account}`, `credentials/${account}/imap`)
    await owner.insertInto('credentials').values({ account, kind: 'imap', sealed }).execute()
  }
  await owner
    .insertInto('adminPeople')
    .values({
      id: 'p',
      email: 'p@example.com',
      name: 'P',
      role: 'owner',
      sealed: await sealer.seal('seed', 'admin/p/totp'),
    })
    .execute()
  await owner
    .insertInto('gateways')
    .values({ gateway: 'g', name: 'g', host: 'relay.example', port: 25 })
    .execute()
  await owner
    .insertInto('gatewayCredentials')
    .values({ gateway: 'g', sealed: await sealer.seal('pass of g', 'gateways/g') })
    .execute()
  await owner
    .insertInto('oauth2Apps')
    .values({ id: 'app', provider: 'generic', name: 'app', config: '{}' })
    .execute()
  await owner
    .insertInto('oauth2AppSecrets')
    .values({ app: 'app', kind: 'clientSecret', sealed: await sealer.seal('client', 'app') })
    .execute()
  await owner
    .insertInto('oauth2Tokens')
    .values([
      { account: 'a', grantUpdatedAt: new Date(), sealed: await sealer.seal('grant', 'a') },
      { account: 'b', grantUpdatedAt: new Date(), sealed: null },
    ])
    .execute()
  await owner
    .insertInto('exports')
    .values({
      exportId: 'exp_1',
      account: 'a',
      shard: shardOf('a'),
      day: new Date(),
      folders: [],
      startDate: new Date(0),
      endDate: new Date(),
      textType: '*',
      maxBytes: '0',
      includeAttachments: false,
      sealed: await sealer.seal('key', 'export/exp_1'),
      expiresAt: new Date(),
    })
    .execute()
  await owner
    .insertInto('sealedSettings')
    .values([
      { key: 'serviceSecret', sealed: await sealer.seal('hush', 'settings/serviceSecret') },
      { key: 'serviceSecret:1', sealed: await sealer.seal('before', 'settings/serviceSecret') },
    ])
    .execute()
}
await fill(database.db)

const passwordOf = async (account: string) => {
  const { sealed } = await database.db
    .selectFrom('credentials')
    .select('sealed')
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return onlyNew.unseal(sealed, `credentials/${account}/imap`)
}

test('sealedTables: lists every sealed column of the schema with the key of its table', async () => {
  const { rows } = await sql<{ name: string; key: string[] }>`
    select c.relname as name, array_agg(k.attname::text order by array_position(i.indkey::int2[], k.attnum)) as key
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute k on k.attrelid = c.oid and k.attnum = any(i.indkey)
    where a.attname like '%sealed%' and not a.attisdropped
    group by c.relname order by c.relname`.execute(database.db)
  expect(rows).toEqual(sealedTables.map(({ name, key }) => ({ name, key })))
})

test('resealAll: value changed concurrently, keeps the change', async () => {
  let changed = false
  const interfering: Resealer = {
    ...resealer,
    async reseal(sealed, binding) {
      const resealed = await resealer.reseal(sealed, binding)
      if (!changed) {
        changed = true
        const sealedLater = await sealer.seal('changed', 'credentials/a/imap')
        await database.db
          .updateTable('credentials')
          .set({ sealed: sealedLater })
          .where('account', '=', 'a')
          .execute()
      }
      return resealed
    },
  }
  const registered = () =>
    database.db
      .selectFrom('credentials')
      .select(['account', 'updatedAt'])
      .orderBy('account')
      .execute()
  const before = await registered()
  // With batches of two rows, the resealing reads more than one page of sealed values.
  expect(await resealAll({ db, resealer: interfering, batchSize: 2 })).toEqual({
    resealed: 10,
    unreadable: 0,
  })
  expect(await Promise.all(['a', 'b', 'c'].map(passwordOf))).toEqual([
    'changed',
    'pass of b',
    'pass of c',
  ])
  expect(await resealAll({ db, resealer })).toEqual({ resealed: 0, unreadable: 0 })
  // A change of the time at which a grant was stored would invalidate the OAuth2 tokens, so
  // resealing must keep the time.
  expect(await registered()).toEqual(before)
})

/** Runs the command that reseals (encrypts again) all stored values, in a child process. */
async function command(args: string[], env: Record<string, string>) {
  const main = join(import.meta.dirname, '../src/reseal-main.ts')
  const run = promisify(execFile)(process.execPath, [main, ...args], {
    env: { DATABASE_URL: roleUrl, ...env },
  })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

test('reseal-main: prints values per key, reseals them and skips unreadable ones', async () => {
  const newestSecret = 'the third, of at least 32 characters'
  const third = { SVC_SECRET: newestSecret, SVC_SECRET_PREVIOUS: 'the second' }
  const foreign = await createSealer(keyPairFromSecret('foreign').publicKey).seal('x', 'y')
  await database.db.insertInto('sealedSettings').values({ key: 'x', sealed: foreign }).execute()

  const dryRun = await command(['--dry-run'], third)
  expect(dryRun).toMatchObject({ code: 2 })
  expect(dryRun.stdout).toContain(`credentials ${next.publicKey.id} 3 SVC_SECRET_PREVIOUS`)
  expect(await passwordOf('b')).toBe('pass of b')

  const resealed = await command([], third)
  const newest = keyPairFromSecret(newestSecret).publicKey.id
  expect(resealed).toMatchObject({ code: 2 })
  expect(resealed.stdout).toContain(`credentials ${newest} 3 SVC_SECRET`)
  expect(resealed.stdout).toContain(`sealed_settings ${newest} 2 SVC_SECRET`)
  expect(resealed.stdout).toMatch(/^sealed_settings \w+ 1 secret not configured$/m)
  expect(resealed.stderr).toContain('10 values resealed, 1 cannot be unsealed with any secret')

  await database.db.deleteFrom('sealedSettings').where('key', '=', 'x').execute()
  expect(await command([], { SVC_SECRET: newestSecret })).toMatchObject({ code: 0 })
  for (const output of [dryRun, resealed]) {
    expect(output.stdout + output.stderr).not.toMatch(/the (second|third)|pass of|hush/)
  }
  expect(await countKeys({ db })).toContainEqual({ table: 'oauth2_tokens', keys: { [newest]: 1 } })
})

test('reseal-main: killed after its first batch, loses no value and completes when repeated', async () => {
  const newestSecret = 'the fourth, of at least 32 characters'
  const newest = keyPairFromSecret(newestSecret)
  const accounts = Array.from({ length: 1_200 }, (_, n) => `many-${n}`)
  const values = await Promise.all(
    accounts.map(async (account) => ({
      account,
      kind: 'imap' as const,
      sealed: await sealer.seal(`pass of ${account}`, `credentials/${account}/imap`),
    })),
  )
  await database.db
    .insertInto('accounts')
    .values(accounts.map((account) => ({ account, shard: shardOf(account), name: account })))
    .execute()
  await database.db.insertInto('credentials').values(values).execute()
  const env = { DATABASE_URL: roleUrl, SVC_SECRET: newestSecret, SVC_SECRET_PREVIOUS: 'the first' }
  const main = join(import.meta.dirname, '../src/reseal-main.ts')
  // The last batch of the resealing waits for a lock, so the process is still running when the test
  // kills the process.
  const lock = await database.db.startTransaction().execute()
  const last = accounts.toSorted().at(-1) ?? ''
  await lock
    .selectFrom('credentials')
    .select('account')
    .where('account', '=', last)
    .forUpdate()
    .execute()
  const killed = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const lines of killed.stderr) if (/^credentials: /m.test(String(lines))) break
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const keyIds = async () => {
    const tables = await countKeys({ db })
    return Object.keys(tables.find(({ table }) => table === 'credentials')?.keys ?? {})
  }
  expect((await keyIds()).toSorted()).toContain(newest.publicKey.id)
  expect((await keyIds()).length).toBeGreaterThan(1)
  await lock.rollback().execute()
  const all = createUnsealer([newest.privateKey, old.privateKey])
  const passwords = async (unsealer: typeof all) => {
    const rows = await database.db
      .selectFrom('credentials')
      .select(['account', 'sealed'])
      .where('account', 'like', 'many-%')
      .execute()
    for (const { account, sealed } of rows)
      expect(await unsealer.unseal(sealed, `credentials/${account}/imap`)).toBe(
        `pass of ${account}`,
      )
    return rows.length
  }
  expect(await passwords(all)).toBe(accounts.length)
  await command([], env)
  expect(await passwords(createUnsealer([newest.privateKey]))).toBe(accounts.length)
})

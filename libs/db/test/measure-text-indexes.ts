import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import type { Db } from '../src/index.ts'

// Part of `make bench`. Measures what the trigram indexes for text searches cost per account and
// per submission: bytes of the write-ahead log (WAL), and CPU time of the Postgres process. The
// reference is the same work without the index. The database is new and has its own Postgres
// server, unless TEST_POSTGRES_URL names one. The new server writes no full pages to the log. To
// run only this file: node libs/db/test/measure-text-indexes.ts

const rows = 20_000
/** Rows per statement, the maximum that api-gateway inserts in one statement. */
const batch = 20
const rounds = 3
const mime = randomBytes(4_000)

interface Cost {
  walBytes: number
  cpuMs: number
}

type Phase = 'account' | 'insert' | 'send'

const words = 'invoice order delivery booking reminder report contract offer review update'.split(
  ' ',
)
const word = () => words[Math.floor(Math.random() * words.length)] ?? ''
const submissions = Array.from({ length: rows }, (_, n) => ({
  queueId: `q${n}`,
  messageId: `<${randomUUID()}@example.com>`,
  recipient: `${word()}.${word()}${n}@customer${n % 500}.example`,
  subject: `Your ${word()} ${randomBytes(4).toString('hex')} of the ${word()} ${n}`,
}))

const phases: Readonly<Record<Phase, typeof insertAccounts>> = {
  account: insertAccounts,
  insert: insertSubmissions,
  send: sendSubmissions,
}

const database = await testDatabase()
try {
  await database.db.connection().execute(async (db) => {
    const none = () => ({ walBytes: 0, cpuMs: 0 })
    const sums = {
      with: { account: none(), insert: none(), send: none() },
      without: { account: none(), insert: none(), send: none() },
    }
    // Measurements with and without the text indexes alternate, so that other load on the machine
    // affects both variants.
    for (let round = 0; round < rounds; round += 1)
      for (const variant of ['with', 'without'] as const) {
        await prepare(db, variant)
        for (const [phase, run] of Object.entries(phases) as [Phase, typeof insertAccounts][]) {
          const cost = await costOf(db, () => run(db))
          sums[variant][phase].walBytes += cost.walBytes
          sums[variant][phase].cpuMs += cost.cpuMs
        }
      }
    print('account, inserted', [sums.with.account], [sums.without.account])
    print('submission, inserted', [sums.with.insert], [sums.without.insert])
    const whole = ({ insert, send }: Record<Phase, Cost>) => [insert, send]
    print('submission, inserted and sent', whole(sums.with), whole(sums.without))
  })
} finally {
  await database.drop()
}

/**
 * Empties the measured tables, creates or drops their text indexes, and switches autovacuum of the
 * tables off.
 */
async function prepare(db: Db, variant: 'with' | 'without'): Promise<void> {
  await sql`truncate accounts cascade`.execute(db)
  for (const table of ['accounts', 'outbox'])
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  for (const name of ['0125-2-accounts-by-text', '0125-3-outbox-by-text']) {
    const index = name.replace(/^[\d-]+/, '').replaceAll('-', '_')
    await sql`drop index if exists ${sql.ref(index)}`.execute(db)
    const migration = new URL(`../src/migrations/${name}.sql`, import.meta.url)
    const statement = (await readFile(migration, 'utf8')).replace(' concurrently', '')
    if (variant === 'with') await sql.raw(statement).execute(db)
  }
  await sql`checkpoint`.execute(db)
}

async function insertAccounts(db: Db): Promise<void> {
  for (let from = 0; from < rows; from += batch)
    await sql`insert into accounts (account, shard, name, email)
      select 'account-' || n, n % 256, 'Person ' || md5(n::text), 'p' || n || '@mail.example'
      from generate_series(${from}::int, ${from + batch - 1}::int) n`.execute(db)
  await writePending(db, 'accounts_by_text')
}

async function insertSubmissions(db: Db): Promise<void> {
  await forBatches(async (part) => {
    const column = (name: keyof (typeof part)[number]) => sql.val(part.map((row) => row[name]))
    await sql`insert into outbox (queue_id, account, shard, source, message_id, envelope, subject, mime)
      select queue_id, 'account-0', 0, 'api', message_id, jsonb_build_object('from',
        'shop@example.com', 'to', jsonb_build_array(recipient)), subject, ${mime}
      from unnest(${column('queueId')}::text[], ${column('messageId')}::text[],
        ${column('recipient')}::text[], ${column('subject')}::text[])
        as submission (queue_id, message_id, recipient, subject)`.execute(db)
  })
  await writePending(db, 'outbox_by_text')
}

/** Updates the submissions as sender does: claim, intent record, outcome. */
async function sendSubmissions(db: Db): Promise<void> {
  const lease = sql`lease_until = now() + interval '1 minute'`
  const steps = [
    sql`attempts = attempts + 1, worker = ${randomUUID()}::uuid, attempt_started_at = now(), ${lease}`,
    sql`data_sent_at = now(), ${lease}`,
    sql`state = 'sent', response = '250 2.0.0 Ok: queued as 4bXyZ1abcdz9', finished_at = now(),
      worker = null, lease_until = null, mime = null`,
  ]
  await forBatches(async (part) => {
    const ids = sql.val(part.map(({ queueId }) => queueId))
    for (const step of steps)
      await sql`update outbox set ${step} where queue_id = any(${ids}::text[])`.execute(db)
  })
  await writePending(db, 'outbox_by_text')
}

async function forBatches(run: (part: typeof submissions) => Promise<void>): Promise<void> {
  for (let from = 0; from < rows; from += batch) await run(submissions.slice(from, from + batch))
}

/** Moves new entries from the pending list of a GIN index to their place, as autovacuum does. */
async function writePending(db: Db, index: string): Promise<void> {
  await sql`select gin_clean_pending_list(oid::regclass) from pg_class where relname = ${index}`.execute(
    db,
  )
}

async function costOf(db: Db, run: () => Promise<void>): Promise<Cost> {
  const before = await readUse(db)
  await run()
  const after = await readUse(db)
  return { walBytes: after.walBytes - before.walBytes, cpuMs: after.cpuMs - before.cpuMs }
}

/** Position in the write-ahead log, and CPU time of the Postgres process of the connection. */
async function readUse(db: Db): Promise<Cost> {
  const { rows: uses } = await sql<{ pid: number; bytes: string }>`
    select pg_backend_pid() as pid, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes
  `.execute(db)
  const { pid, bytes } = uses[0] ?? { pid: 0, bytes: '0' }
  const schedule = await readFile(`/proc/${pid}/schedstat`, 'utf8')
  return { walBytes: Number(bytes), cpuMs: Number(schedule.split(' ')[0]) / 1e6 }
}

function print(what: string, measured: readonly Cost[], reference: readonly Cost[]): void {
  const perRow = (costs: readonly Cost[], key: keyof Cost) =>
    costs.reduce((sum, cost) => sum + cost[key], 0) / (rounds * rows)
  for (const [name, key, factor, unit] of [
    ['write-ahead log', 'walBytes', 1, 'B'],
    ['CPU time of Postgres', 'cpuMs', 1_000, 'µs'],
  ] as const) {
    const [own, other] = [perRow(measured, key) * factor, perRow(reference, key) * factor]
    process.stdout.write(
      `${what}, ${name}, with the index for text searches\n    ${own.toFixed(0)} ${unit}   beside ${other.toFixed(0)} ${unit} (without the index), ratio ${(own / other).toFixed(2)}\n`,
    )
  }
}

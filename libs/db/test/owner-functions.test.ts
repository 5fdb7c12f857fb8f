import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { connect, type Db } from '@posthorn/db'
import { migrate } from '@posthorn/db/migrate'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'

const database = await testDatabase()
const roles = serviceNames.map(roleOf)
afterAll(() => database.drop())

/**
 * Statements that make Postgres run each function of the database owner with the owner's rights, in
 * an order in which the functions find rows. A new function needs an entry.
 */
const calls: Record<string, readonly string[]> = {
  admin_sessions_by_credentials: [
    "select * from public.admin_sessions_by_credentials(array['hash'])",
  ],
  // The audit log has a table partition for the next month already, and none for the month after
  // that month.
  ensure_admin_audit_partitions: [
    "select public.ensure_admin_audit_partitions(now() + interval '70 days')",
  ],
  drop_admin_audit_partitions: ['select public.drop_admin_audit_partitions(400)'],
  ensure_event_partitions: ['select public.ensure_event_partitions(9)'],
  drop_event_partitions: ['select public.drop_event_partitions(-5)'],
  ensure_export_partition: ['select public.ensure_export_partition()'],
  drop_export_partitions: ['select public.drop_export_partitions()'],
  tokens_by_id: ["select * from public.tokens_by_id(array['t'])"],
  token_by_value: ["select * from public.token_by_value('t', 't')"],
  mark_token_used: ["select public.mark_token_used('t', '192.0.2.1')"],
  keep_previous_service_secret: ['select public.keep_previous_service_secret(60)'],
  record_proxy_state: [
    "select public.record_proxy_state('smtpServerState', 'failed', 'port in use')",
  ],
  delete_account_logs: ["update public.accounts set logs = not logs where account = 'a'"],
  raise_webhook_routes_stamp: [
    "insert into public.webhook_routes (id, name, target_url) values ('r', 'r', 'https://r.example')",
    "update public.webhook_routes set name = 's'",
    'delete from public.webhook_routes',
  ],
  copy_list_block: [
    "insert into public.list_blocks (list_id, recipient, account, source) values ('l', 'ü@bücher.example', 'a', 'api')",
    'delete from public.list_blocks',
  ],
  copy_account_list_block: [
    "insert into public.account_list_blocks (list_id, recipient, account, source) values ('m', 'ü@bücher.example', 'a', 'api')",
    'delete from public.account_list_blocks',
  ],
}

interface OwnerFunction {
  name: string
  /** Search path of the Postgres function. */
  path: string | null
  /** True if every database role may call the Postgres function. */
  isPublic: boolean
}

async function listOwnerFunctions(): Promise<OwnerFunction[]> {
  const { rows } = await sql<OwnerFunction>`
    select p.proname as name,
      (select substr(setting, 13) from unnest(p.proconfig) setting where setting like 'search\\_path=%') as path,
      exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) where grantee = 0) as "isPublic"
    from pg_proc p where p.prosecdef and p.pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    order by 1`.execute(database.db)
  return rows
}

/**
 * Functions in a temporary schema that raise an error if they run with other rights than the rights
 * of the Postgres session.
 */
const trap = [
  `create function pg_temp.trap() returns pg_catalog.bool language plpgsql as $$
    begin
      if current_user <> session_user then
        raise exception 'code of the caller runs as %', current_user;
      end if;
      return true;
    end $$`,
  `create function pg_temp.trap_row() returns trigger language plpgsql as $$
    begin
      perform pg_temp.trap();
      return coalesce(new, old);
    end $$`,
]

/**
 * Postgres functions and operators that the owner's functions use, each replaced by a version with
 * the trap.
 */
const callables = [
  ['lower(pg_catalog.text)', 'pg_catalog.text'],
  ['hashtext(pg_catalog.text)', 'pg_catalog.int4'],
  ['now()', 'pg_catalog.timestamptz'],
  ['punycode(pg_catalog.text)', 'pg_catalog.text'],
  ['list_address_key(pg_catalog.text)', 'pg_catalog.text'],
].map(([signature, type]) => {
  return `create function pg_temp.${signature} returns ${type} language plpgsql as
    $$ begin perform pg_temp.trap(); return null; end $$`
})
const operators = [
  `create function pg_temp.equals(pg_catalog.text, pg_catalog.text) returns pg_catalog.bool
    language plpgsql as $$ begin return pg_temp.trap(); end $$`,
  'create operator pg_temp.= (leftarg = pg_catalog.text, rightarg = pg_catalog.text, function = pg_temp.equals)',
]

/** Temporary domains over the types that the owner's Postgres functions declare. */
const types = ['text', 'date', 'int4', 'int8', 'timestamptz', 'jsonb', 'bool'].map(
  (type) =>
    `create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.trap() operator(pg_catalog.=) true)`,
)

/** Temporary Postgres tables with the names and columns of all tables, and a trap on each table. */
async function shadowTables(): Promise<string[]> {
  const { rows } = await sql<{ name: string; columns: string }>`
    select c.relname as name, string_agg(format('%I %s', a.attname, format_type(a.atttypid, null)),
      ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by c.relname`.execute(
    database.db,
  )
  expect(rows.length).toBeGreaterThan(40)
  const catalogs = [
    { name: 'pg_class', columns: 'oid oid, relname name' },
    { name: 'pg_inherits', columns: 'inhrelid oid, inhparent oid' },
  ]
  return [...rows, ...catalogs].flatMap(({ name, columns }) => [
    `create temporary table "${name}" (${columns})`,
    `grant all on pg_temp."${name}" to public`,
    `create trigger trap before insert or update or delete on pg_temp."${name}"
      for each statement execute function pg_temp.trap_row()`,
    `create trigger trap_rows before insert or update or delete on pg_temp."${name}"
      for each row execute function pg_temp.trap_row()`,
  ])
}

beforeAll(async () => {
  const { db } = database
  await sql`insert into accounts (account, shard, name) values ('a', 0, 'a')`.execute(db)
  await sql`insert into tokens (id, account, scopes) values ('t', 'a', '{*}')`.execute(db)
  await sql`insert into sealed_settings (key, sealed) values ('serviceSecret', 'x')`.execute(db)
})

test('migrate: no service role can create temporary objects', async () => {
  const kept: string[][] = []
  await migrate(database.ownerUrl, { onTemporaryKept: (roles) => kept.push([...roles]) })
  expect(kept).toEqual([])
  for (const role of roles) {
    await using db = connect(database.roleUrl(role), { name: 'test', max: 1 })
    const statement = sql`create temporary table mine (id integer)`.execute(db)
    await expect(statement).rejects.toThrow(/permission denied to create temporary tables/)
  }
})

test('owner functions: each has a closed search path and named callers', async () => {
  const functions = await listOwnerFunctions()
  expect(functions.map(({ name }) => name)).toEqual(Object.keys(calls).sort())
  for (const { name, path, isPublic } of functions)
    expect({ name, path, isPublic }).toEqual({
      name,
      path: 'pg_catalog, public, pg_temp',
      isPublic: false,
    })
})

test('schema: no view reads with the rights of the owner, later functions are for named roles', async () => {
  const { rows: views } = await sql`select relname from pg_class where relkind in ('v', 'm')
    and relnamespace = 'public'::regnamespace`.execute(database.db)
  expect(views).toEqual([])
  // Functions of the extension pg_trgm are left out: Postgres defines them, without a search path.
  const { rows: paths } =
    await sql`select proname from pg_proc where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    and not coalesce(proconfig, '{}') @> array['search_path=pg_catalog, public, pg_temp']`.execute(
      database.db,
    )
  expect(paths).toEqual([])
  await sql`create function later() returns integer language sql as 'select 1'`.execute(database.db)
  for (const role of roles) {
    await using db = connect(database.roleUrl(role), { name: 'test', max: 1 })
    await expect(sql`select later()`.execute(db)).rejects.toThrow(/permission denied/)
  }
  await sql`drop function later()`.execute(database.db)
})

async function attack(db: Db, preparation: readonly string[]): Promise<Map<string, string>> {
  const outcomes = new Map<string, string>()
  await db.transaction().execute(async (tx) => {
    for (const statement of preparation) await sql.raw(statement).execute(tx)
    for (const [name, statements] of Object.entries(calls))
      for (const [index, statement] of statements.entries()) {
        await sql`savepoint call`.execute(tx)
        const outcome = await sql
          .raw(statement)
          .execute(tx)
          .then(() => 'done', String)
        outcomes.set(`${name} ${index}`, outcome)
        if (outcome !== 'done') await sql`rollback to savepoint call`.execute(tx)
      }
  })
  return outcomes
}

test.each(['tables and types first', 'everything first'])(
  'owner functions: with temporary objects of the same names, search path %s, run no code of the caller',
  async (order) => {
    await sql
      .raw(`grant temporary on database "${new URL(database.url).pathname.slice(1)}" to public`)
      .execute(database.db)
    const done = new Set<string>()
    const path =
      order === 'everything first'
        ? ['set local search_path = pg_temp, pg_catalog, public']
        : ['set local search_path = public']
    const tables = await shadowTables()
    const preparation = [...trap, ...callables, ...operators, ...tables, ...types, ...path]
    for (const role of roles) {
      await using db = connect(database.roleUrl(role), { name: 'test', max: 1 })
      for (const [call, outcome] of await attack(db, preparation)) {
        if (outcome === 'done') done.add(call)
        else expect([role, call, outcome]).toEqual([role, call, expect.stringMatching(/denied/)])
      }
    }
    const all = Object.entries(calls).flatMap(([name, list]) =>
      [...list.keys()].map((i) => `${name} ${i}`),
    )
    expect([...done].sort()).toEqual(all.sort())
  },
)

test('drop_event_partitions: drops the partitions of days that are over, with their event ids', async () => {
  const { db } = database
  await sql`select ensure_event_partitions()`.execute(db)
  await sql`insert into event_ids (event_id, day) select gen_random_uuid(), (now() at time zone 'UTC')::date`.execute(
    db,
  )
  await using dispatcher = connect(database.roleUrl('posthorn_webhook_dispatcher'), {
    name: 'test',
    max: 1,
  })
  const { rows } = await sql`select drop_event_partitions(-1) as dropped`.execute(dispatcher)
  expect(rows).toEqual([{ dropped: 1 }])
  expect((await sql`select from event_ids`.execute(db)).rows).toEqual([])
})

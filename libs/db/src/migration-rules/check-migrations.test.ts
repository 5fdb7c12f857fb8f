import { describe, expect, test } from '@jest/globals'
import { parseMigration } from '../migrate/migration-files.ts'
import { checkMigrations } from './check-migrations.ts'

/** Faults of a migration text, checked after migrations that create the tables in use. */
function check(text: string, earlier: readonly string[] = []): string[] {
  const texts = ['create table accounts (account text primary key);', ...earlier, text]
  return checkMigrations(
    texts.map((each, at) => parseMigration(`0${900 + at}-sample`, `${each}\n`)),
  ).map((fault) => fault.replace(/^\d{4}-sample\.sql:/, ''))
}

const noTransaction = (text: string) => `-- no transaction\n${text}`
const batches = (text: string) => `-- batches\n${text}`

describe('checkMigrations: rejects', () => {
  test.each([
    ['create index by_name on accounts (name);', /^1: the index blocks writers of accounts/],
    [
      'create unique index by_name on accounts (name);',
      /"create index concurrently if not exists"/,
    ],
    ['drop index by_name;', /^1: "drop index" waits for all readers/],
    ['create index concurrently if not exists a on accounts (b);', /not possible in a transaction/],
    ['alter table accounts alter column name type varchar(9);', /a change of type rewrites/],
    ['alter table accounts alter name set data type bigint;', /a change of type rewrites/],
    ['alter table accounts add column id uuid default gen_random_uuid();', /differs per row/],
    ['alter table accounts add a int, add b float default random();', /differs per row/],
    ['alter table accounts add column id bigserial;', /serial column rewrites/],
    ['alter table accounts add column n int generated always as (1) stored;', /generated/],
    ['alter table accounts add column name text not null;', /fails on existing rows/],
    [`alter table accounts add column a text check (a > '');`, /scans the table. Add it with/],
    [
      'alter table accounts add column a text references users;',
      /^1: a constraint in "add column" scans the table/,
    ],
    ['alter table accounts add column a text unique;', /Build a unique index concurrently/],
    ['alter table accounts add constraint a unique (name);', /unique using index/],
    ['alter table accounts add constraint a check (name is not null);', /"not valid"/],
    ['alter table accounts add foreign key (a) references accounts;', /"validate constraint"/],
    [
      'alter table accounts alter column name set not null;',
      /check \(name is not null\) not valid/,
    ],
    ['alter table accounts set unlogged;', /rewrites the table/],
    ['alter table accounts drop column name;', /"-- contract: <first release/],
    ['alter table accounts drop name;', /previous release still uses/],
    ['alter table accounts rename column name to title;', /removes or renames/],
    ['alter table accounts rename to users;', /removes or renames/],
    ['drop table accounts;', /previous release still uses/],
    ['drop function if exists punycode(text);', /previous release still uses/],
    ['truncate accounts;', /previous release still uses/],
    ['-- contract: soon\ndrop table accounts;', /^2: the previous release/],
    ['lock table accounts;', /"lock table" blocks services/],
    [`update accounts set name = '';`, /changes all rows of accounts/],
    ['delete from accounts;', /starts with "-- batches"/],
    ['insert into names select name from accounts;', /copies all rows of accounts/],
    ['do $$ begin drop table accounts; end $$;', /cannot read a "do" block/],
    [`set lock_timeout = '1min';`, /timeouts are set by migrate/],
    ['commit;', /Delete the statement/],
    ['vacuum full accounts;', /strong lock/],
  ])('%s', (text, expected) => {
    expect(check(text)).toEqual([expect.stringMatching(expected)])
  })

  test('two statements without a transaction', () => {
    const text = 'drop index concurrently if exists a;\ndrop index concurrently if exists b;'
    expect(check(noTransaction(text))).toEqual([expect.stringMatching(/^3: .* one statement/)])
  })

  test.each([
    'create index concurrently by_name on accounts (name);',
    'drop index concurrently by_name;',
    'alter table accounts add column name text;',
  ])('without a transaction: %s', (text) => {
    expect(check(noTransaction(text))).toEqual([
      expect.stringMatching(/^2: .*"create index concurrently if not exists"/),
    ])
  })

  test('a marker that is not the first line', () => {
    const text = '-- Index.\n-- no transaction\ngrant select on accounts to a;'
    expect(check(text)).toEqual([
      '2: the first line of the file must be exactly "-- no transaction".',
    ])
  })

  test('a batch without a limit', () => {
    const text = `update accounts set name = '' where name is null;`
    expect(check(batches(text))).toEqual([expect.stringMatching(/selects with "limit"/)])
  })

  test('locks of two tables in a transaction, and of a referenced one', () => {
    const expected = [expect.stringMatching(/^2: the transaction locks accounts and outbox/)]
    const first = 'alter table accounts add column a text;\n'
    expect(check(`${first}alter table outbox add column a text;`)).toEqual(expected)
    expect(check(`${first}create table notes (a text references outbox);`)).toEqual(expected)
  })

  test('"validate constraint" in the transaction that adds the constraint', () => {
    const text = `alter table accounts add constraint a check (name > '') not valid;
      alter table accounts validate constraint a;`
    expect(check(text)).toEqual([expect.stringMatching(/^2: a is validated under the lock/)])
  })

  test('"set not null" after a check that is not validated, or of another column', () => {
    const add = (column: string) =>
      `alter table accounts add constraint filled check (${column} is not null) not valid;`
    const validate = 'alter table accounts validate constraint filled;'
    const text = 'alter table accounts alter column name set not null;'
    expect(check(text, [add('name')])).toHaveLength(1)
    expect(check(text, [add('title'), validate])).toHaveLength(1)
    expect(check(text, [add('name'), validate])).toEqual([])
  })
})

describe('checkMigrations: accepts', () => {
  test.each([
    'create table notes (id uuid default gen_random_uuid(), a text); create index b on notes (a);',
    'create table notes (account text references accounts); create unique index b on notes (a);',
    'create table notes (a text); alter table notes alter column a set not null;',
    'alter table accounts add column a text, add column b timestamptz not null default now();',
    `alter table accounts add column a text[] not null default '{}';`,
    'alter table public.accounts alter column a drop not null, alter column b set default 1;',
    'alter table accounts drop constraint a, add constraint a check (b in (1, 2)) not valid;',
    'alter table accounts validate constraint a;',
    'alter table accounts add constraint a unique using index b;',
    'alter table accounts add constraint a foreign key (b) references outbox not valid;',
    `update settings set value = 'x';`,
    'grant select on accounts to posthorn_sender; revoke update on accounts from posthorn_sender;',
    '-- contract: 1.2.0\nalter table accounts drop column name;',
    '-- lock table accounts; drop table accounts;\ngrant select on accounts to a;',
    `alter function punycode(text) set search_path = pg_catalog, pg_temp;`,
    `create or replace function a() returns void language plpgsql as $$
     begin update accounts set a = 1; drop table accounts; end $$;`,
    `comment on table accounts is 'drop table accounts; it''s';`,
    noTransaction('-- Pages.\ncreate index concurrently if not exists a on accounts (b)\nwhere c;'),
    noTransaction('drop index concurrently if exists a;'),
    batches('update accounts set a = b where a in (select a from accounts limit 1000);'),
    batches('delete from accounts where a in (select a from accounts limit 1000);'),
  ])('%s', (text) => {
    expect(check(text)).toEqual([])
  })

  test('anything up to the last unchecked migration', () => {
    expect(checkMigrations([parseMigration('0033-lists', 'drop table accounts;\n')])).toEqual([])
  })
})

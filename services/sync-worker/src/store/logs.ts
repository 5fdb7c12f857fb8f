import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** A line of an account's protocol log. */
export interface LogLine {
  account: string
  line: string
}

/** Adds lines, in their order. Those of accounts that are gone, or whose log is switched off by now, are left out; the latter not where `all` are logged. */
export async function insertLogLines(
  db: Db,
  lines: readonly LogLine[],
  all: boolean,
): Promise<void> {
  if (lines.length === 0) return
  await sql`
    insert into account_logs (account, line)
    select l.account, l.line
    from unnest(${lines.map(({ account }) => account)}::text[], ${lines.map(({ line }) => line)}::text[])
      with ordinality as l (account, line, n)
    join accounts a on a.account = l.account and (a.logs or ${all})
    order by l.n
  `.execute(db)
}

/** Deletes all but an account's last lines. */
export async function trimLog(db: Db, account: string, keep: number): Promise<void> {
  await sql`
    delete from account_logs where account = ${account} and id <= (
      select id from account_logs where account = ${account} order by id desc offset ${keep} limit 1
    )
  `.execute(db)
}

/** Deletes lines that were written just as their account's log was switched off. */
export async function deleteUnwantedLogs(db: Db): Promise<void> {
  await sql`
    delete from account_logs where account in (
      select account from accounts a
      where not logs and exists (select 1 from account_logs l where l.account = a.account)
    )
  `.execute(db)
}

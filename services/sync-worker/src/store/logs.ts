import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Line of an account's protocol log. */
export interface LogLine {
  account: string
  line: string
  /** True for protocol log lines that were written after the server replied to the login. */
  afterLogin?: boolean | undefined
}

/**
 * Appends lines to the protocol logs of accounts. Skips deleted accounts. Unless `all` is set, also
 * skips accounts whose protocol log is disabled.
 */
export async function insertLogLines(
  db: Db,
  lines: readonly LogLine[],
  all: boolean,
): Promise<void> {
  if (lines.length === 0) return
  await sql`
    insert into account_logs (account, line, after_login)
    select l.account, l.line, l.after_login
    from unnest(
      ${lines.map(({ account }) => account)}::text[], ${lines.map(({ line }) => line)}::text[],
      ${lines.map(({ afterLogin = false }) => afterLogin)}::boolean[]
    ) with ordinality as l (account, line, after_login, n)
    join accounts a on a.account = l.account and (a.logs or ${all})
    order by l.n
  `.execute(db)
}

/** Deletes all but the last `keep` lines of an account's protocol log. */
export async function trimLog(db: Db, account: string, keep: number): Promise<void> {
  await sql`
    delete from account_logs where account = ${account} and id <= (
      select id from account_logs where account = ${account} order by id desc offset ${keep} limit 1
    )
  `.execute(db)
}

/** Deletes protocol log lines that were written while the account's log was being disabled. */
export async function deleteUnwantedLogs(db: Db): Promise<void> {
  await sql`
    delete from account_logs where account in (
      select account from accounts a
      where not logs and exists (select 1 from account_logs l where l.account = a.account)
    )
  `.execute(db)
}

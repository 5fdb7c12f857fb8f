import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Lets one replica after the other prepare the instance; held until the transaction ends. */
export async function lockFirstRun(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:first-run'))`.execute(tx)
}

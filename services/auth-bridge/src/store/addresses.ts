import type { SettingKey } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Whether an address is stored, to the letter, in one of these settings or, of a proxy, with an account or a message. */
export async function isStored(
  db: Db,
  address: string,
  { settings, ofAccounts }: { settings: readonly SettingKey[]; ofAccounts: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ stored: boolean }>`
    select exists (select from settings where key = any(${[...settings]}::text[]) and value #>> '{}' = ${address})
      or ${ofAccounts}::boolean and (
        exists (select from accounts where proxy = ${address}) or exists (select from outbox where proxy = ${address})
      ) as stored`.execute(db)
  return rows[0]?.stored === true
}

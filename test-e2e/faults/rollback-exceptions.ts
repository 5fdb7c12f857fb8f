import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { withClient } from '@posthorn/local/postgres/client'

/** Stored object that the release before 1.0.0-rc.1 cannot use. */
export interface RollbackException {
  stored: string
  name: string
}

/** Runs the query that the section "Rolling back" of deploy/README.md contains. */
export async function listRollbackExceptions(ownerUrl: string): Promise<RollbackException[]> {
  const text = readFileSync(join(checkout, 'deploy/README.md'), 'utf8')
  const [, query] = /```sql\n(select 'account at a mail API'[^`]*)```/.exec(text) ?? []
  if (query === undefined) throw new Error('deploy/README.md has no query')
  const { rows } = await withClient(ownerUrl, (client) => client.query<RollbackException>(query))
  return rows
}

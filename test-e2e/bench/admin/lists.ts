import { withClient } from '@posthorn/local/postgres/client'
import type { AdminWorld } from '../../admin/admin-world.ts'
import { percentile, type Row } from '../report.ts'
import type { AdminStage } from './people.ts'
import { timeInTurns } from './time-in-turns.ts'

/** Account of which all other accounts are copies. */
export const firstAccount = 'account-0'
const pageSize = 100
const count = 100_000
/** Number of accounts that one SQL statement inserts. */
const batch = 20_000
const rounds = 30

/**
 * Measures pages of the list of accounts at api-gateway. A page out of 100 accounts is the
 * reference for the first page out of 100,000, which is the reference for the other pages.
 */
export async function benchAccountLists({ world }: AdminStage): Promise<Row[]> {
  const body = { account: firstAccount, name: 'Person 0', email: 'person0@example.com' }
  await world.posthorn.createAccount({ body })
  await addAccounts(world.ownerUrl, { from: 1, to: pageSize - 1 })
  const small = await timeInTurns({ first: () => list(world, {}) }, rounds)
  for (let from = pageSize; from < count; from += batch)
    await addAccounts(world.ownerUrl, { from, to: Math.min(from + batch, count) - 1 })
  await withClient(world.ownerUrl, (client) => client.query('vacuum analyze accounts'))
  const times = await timeInTurns(
    {
      first: () => list(world, {}),
      last: () => list(world, { page: count / pageSize - 1 }),
      one: () => list(world, { query: 'person77777@' }, 1),
      all: () => list(world, { query: 'example.com' }),
      short: () => list(world, { query: 'n7' }),
    },
    rounds,
  )
  const first = percentile(times.first, 50)
  const row = (what: string, measured: readonly number[]): Row => ({
    what: `listAccounts, ${pageSize} of ${count.toLocaleString('en')}, ${what}, median`,
    measured: percentile(measured, 50),
    reference: first,
    unit: ' ms',
    referenceIs: 'first page without a search',
  })
  return [
    {
      ...row('first page', times.first),
      reference: percentile(small.first, 50),
      referenceIs: `page of ${pageSize} accounts out of ${pageSize}`,
    },
    row('last page', times.last),
    row('search that one account matches, goal 50 ms', times.one),
    row('search that all accounts match', times.all),
    row('search for two characters, which no index supports', times.short),
  ]
}

/** Copies the first account. The copies have other ids, names and email addresses. */
function addAccounts(ownerUrl: string, { from, to }: { from: number; to: number }): Promise<void> {
  return withClient(ownerUrl, async (client) => {
    await client.query(
      `insert into accounts select copy.* from accounts a, generate_series($1::int, $2::int) n,
         jsonb_populate_record(a, jsonb_build_object('account', 'account-' || n, 'shard', n % 256,
           'name', 'Person ' || n, 'email', 'person' || n || '@example.com')) copy
       where a.account = '${firstAccount}'`,
      [from, to],
    )
  })
}

/** Reads a page of the list of accounts. @throws Error for another number of accounts */
async function list(
  { url, token }: AdminWorld,
  query: Record<string, string | number>,
  expected = pageSize,
): Promise<void> {
  const search = new URLSearchParams({ pageSize: String(pageSize) })
  for (const [name, value] of Object.entries(query)) search.set(name, String(value))
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/v1/accounts?${search.toString()}`, { headers })
  const { accounts } = (await response.json()) as { accounts?: unknown[] }
  if (accounts?.length !== expected)
    throw new Error(`${search.toString()}: ${response.status}, ${accounts?.length} accounts`)
}

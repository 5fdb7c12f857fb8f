import { UnreadableError } from '../unreadable-error.ts'
import type { Keys } from './keys.ts'
import type { RedisReader } from './redis-reader.ts'

/** Numbers of entities in EmailEngine's store, including entities that cannot be imported. */
export interface EntityCounts {
  accounts: number
  applications: number
  gateways: number
  /** Number of templates that belong to an account, and of templates that all accounts can use. */
  templates: number
  routes: number
  /** Number of addresses on all blocklists of EmailEngine. */
  blocklistEntries: number
  tokens: number
  settings: number
}

/**
 * Counts the entities of EmailEngine's store. The lists of templates and addresses are counted one
 * by one.
 */
export async function countEntities(reader: RedisReader, keys: Keys): Promise<EntityCounts> {
  const [accounts, applications, gateways, routes, tokens, settings] = await Promise.all([
    reader.memberCount(keys.accountIds),
    reader.memberCount(keys.applicationIds),
    reader.memberCount(keys.gatewayIds),
    reader.memberCount(keys.routeIds),
    reader.fieldCount(keys.tokens),
    reader.fieldCount(keys.settings),
  ])
  const templates = await sum(templateOwners(reader, keys), (account) =>
    reader.memberCount(keys.templateIds(account)),
  )
  const blocklistEntries = await sum(blocklistIds(reader, keys), (list) =>
    reader.fieldCount(keys.blocklist(list)),
  )
  return { accounts, applications, gateways, templates, routes, blocklistEntries, tokens, settings }
}

/**
 * Ids of the accounts that can own EmailEngine templates, in pages. The empty id stands for all
 * accounts.
 */
export async function* templateOwners(reader: RedisReader, keys: Keys): AsyncGenerator<string[]> {
  yield ['']
  yield* reader.members(keys.accountIds)
}

/** Ids of EmailEngine's blocklists in pages. */
export async function* blocklistIds(reader: RedisReader, keys: Keys): AsyncGenerator<string[]> {
  for await (const page of reader.fields(keys.blocklists)) yield page.map(([list]) => list)
}

async function sum(
  pages: AsyncIterable<readonly string[]>,
  count: (id: string) => Promise<number>,
): Promise<number> {
  let total = 0
  try {
    for await (const page of pages)
      total += (await Promise.all(page.map(count))).reduce((left, right) => left + right, 0)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
  }
  return total
}

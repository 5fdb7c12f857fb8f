import { createHash } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { Action, Group } from '@posthorn/contracts'
import { type Selectable, sql } from 'kysely'
import type { Db } from './connect.ts'
import type { Tokens } from './tables/index.ts'

// What the mail proxies ask of `tokens`. The gateway has more to check (referrers, rates, single operations) and does so itself.

/** What a mail client wants to do with a token. */
export interface TokenUse {
  scope: 'imap-proxy' | 'smtp'
  /** The account it names. */
  account: string
  /** Where it comes from. */
  address: string
}

export interface UsableToken {
  id: string
  expiresAt: Date | null
}

/** Clients are told apart `address` alone; the rest is one answer to them, and several in a log. */
export type TokenRefusal = 'unknown' | 'expired' | 'scope' | 'account' | 'permission' | 'address'

export type TokenVerdict =
  | { id: string; token: UsableToken; refused?: never }
  /** `id` is that of the token that is refused; there is none where it is unknown. */
  | { id?: string; token?: never; refused: TokenRefusal }

export type TokenRow = Pick<
  Selectable<Tokens>,
  'id' | 'account' | 'scopes' | 'restrictions' | 'permissions' | 'expiresAt'
>

/** What a client can do once it is in: a token with a permissions record must admit all of it. */
const surfaces: Record<TokenUse['scope'], readonly { group: Group; actions: readonly Action[] }[]> =
  {
    smtp: [{ group: 'submit', actions: ['send'] }],
    'imap-proxy': [
      { group: 'message', actions: ['read', 'write', 'destructive'] },
      { group: 'mailbox', actions: ['write', 'destructive'] },
    ],
  }

const columns = ['id', 'account', 'scopes', 'restrictions', 'permissions', 'expiresAt'] as const

// The doors' roles cannot read the table: they look up what they were shown the token of.

/** Looks a token up by its hash (no secret is compared) and says whether it may be used so. Does not look at the account itself. */
export async function findUsableToken(db: Db, value: string, use: TokenUse): Promise<TokenVerdict> {
  // What we make has 64 hex digits; one that the environment brought has up to 256 printable characters.
  if (!/^[!-~]{32,256}$/.test(value)) return { refused: 'unknown' }
  const id = createHash('sha256').update(value).digest('hex')
  const [row] = await listTokens(db, [id])
  if (!row) return { refused: 'unknown' }
  const refused = refusalOf(row, use)
  return refused ? { id, refused } : { id, token: { id: row.id, expiresAt: row.expiresAt } }
}

/** The tokens of these ids that still exist: for sessions that are open while a token changes. */
export async function listTokens(db: Db, ids: readonly string[]): Promise<TokenRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<TokenRow>`select ${sql.join(columns.map((name) => sql.ref(name)))}
    from tokens_by_id(${[...ids]}::text[])`.execute(db)
  return rows
}

/** Why a token may not be used so, or undefined. The address comes last: only a token that is right otherwise learns of it. */
export function refusalOf(
  row: TokenRow,
  use: TokenUse,
  now: number = Date.now(),
): TokenRefusal | undefined {
  if (row.expiresAt !== null && row.expiresAt.getTime() <= now) return 'expired'
  if (!row.scopes.includes(use.scope) && !row.scopes.includes('*')) return 'scope'
  if (row.account !== null && row.account !== use.account) return 'account'
  if (!admits(row.permissions, use.scope)) return 'permission'
  return addressAllowed(row.restrictions?.addresses, use.address) ? undefined : 'address'
}

/** Notes the use of a token, at most once a minute. */
export async function markTokenUsed(db: Db, id: string, address: string): Promise<void> {
  await sql`select mark_token_used(${id}, ${address})`.execute(db)
}

function admits(permissions: unknown, scope: TokenUse['scope']): boolean {
  if (permissions === null || permissions === undefined) return true
  // A record that cannot be understood admits nothing.
  if (typeof permissions !== 'object' || Array.isArray(permissions)) return false
  const { actions, groups } = permissions as { actions?: unknown; groups?: unknown }
  if (actions === undefined && groups === undefined) return false
  return surfaces[scope].every(
    (surface) => listAdmits(groups, [surface.group]) && listAdmits(actions, surface.actions),
  )
}

function listAdmits(list: unknown, wanted: readonly string[]): boolean {
  if (list === undefined) return true
  return Array.isArray(list) && wanted.every((word) => list.includes(word))
}

/** Whether an address is in a list of addresses and ranges; no list, or an empty one, has them all. Unreadable entries match nothing. */
export function addressAllowed(
  ranges: readonly string[] | null | undefined,
  address: string,
): boolean {
  if (!ranges || ranges.length === 0) return true
  const family = isIP(address)
  if (family === 0) return false
  return listOf(ranges).check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Lists that were made of ranges already: a token may have a thousand, and is asked for at every request. */
const made = new WeakMap<readonly string[], BlockList>()

function listOf(ranges: readonly string[]): BlockList {
  const known = made.get(ranges)
  if (known) return known
  const list = new BlockList()
  for (const range of ranges) addRange(list, range)
  made.set(ranges, list)
  return list
}

function addRange(list: BlockList, range: string): void {
  const [address = '', prefix, ...rest] = range.trim().split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return
  const type = family === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, type)
  else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32))
    list.addSubnet(address, Number(prefix), type)
}

// Queries for the sources of webhook targets. api-gateway owns the tables `accounts` and
// `webhook_routes`.

import type { AccountTarget as StoredTarget, Db, TenantSet } from '@posthorn/db'
import { sql } from 'kysely'

export interface Header {
  key: string
  value?: string
}

/** Webhook target and custom webhook headers of an account. */
export interface AccountTarget {
  webhooks: string | null
  webhooksCustomHeaders: readonly Header[] | null
  /** Fields of the account that a tenant has set, as opposed to an operator. */
  tenantSet: readonly TenantSet[]
  /**
   * Row id of the event `accountDeleted` if the account was deleted. Later events of the account
   * have no target.
   */
  deletedBy?: string
}

/**
 * Webhook targets by account. A deleted account has the target recorded with its event
 * `accountDeleted`; without that event, the result lacks the account.
 */
export async function listAccountTargets(
  db: Db,
  accounts: readonly string[],
): Promise<Map<string, AccountTarget>> {
  if (accounts.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts')
    .select(['account', 'webhooks', 'webhooksCustomHeaders', 'tenantSet'])
    .where('account', 'in', accounts)
    .execute()
  const existing = new Map<string, AccountTarget>(
    rows.map(({ account, ...target }) => [account, target]),
  )
  const deleted = await listDeletedTargets(
    db,
    accounts.filter((account) => !existing.has(account)),
  )
  return new Map([...existing, ...deleted])
}

async function listDeletedTargets(
  db: Db,
  accounts: readonly string[],
): Promise<[string, AccountTarget][]> {
  if (accounts.length === 0) return []
  const { rows } = await sql<{
    account: string
    eventRow: string
    target: StoredTarget | null
  }>`
    select account, latest.id as "eventRow", latest.account_target as target
    from unnest(${sql.val([...accounts])}::text[]) as deleted (account) cross join lateral (
      select id, account_target from events
      where events.account = deleted.account and event = 'accountDeleted' order by id desc limit 1
    ) latest
  `.execute(db)
  return rows.map(({ account, eventRow: deletedBy, target }) => [
    account,
    {
      webhooks: target?.url ?? null,
      webhooksCustomHeaders: target?.headers ?? null,
      tenantSet: [
        ...(target?.isTenantsUrl ? (['webhooks'] as const) : []),
        ...(target?.isTenants ? (['webhooksCustomHeaders'] as const) : []),
      ],
      deletedBy,
    },
  ])
}

/** Enabled webhook route. */
export interface Route {
  id: string
  version: number
  url: string
  headers: { key: string; value: string }[]
  filter: string | null
  map: string | null
  /** Time from which the webhook route gets no more events. Null for a route without expiry. */
  expiresAt: Date | null
}

/** All enabled webhook routes at one point in time. */
export interface RouteSnapshot {
  /**
   * Version of all webhook routes. Differs after every change of any route. The expiry of a route
   * is no change.
   */
  version: string
  routes: readonly Route[]
}

export async function readRoutesVersion(db: Db): Promise<string> {
  const { stamp } = await db
    .selectFrom('webhookRoutesStamp')
    .select('stamp')
    .executeTakeFirstOrThrow()
  return stamp
}

/** Reads the enabled webhook routes that have not expired, with the version of all routes. */
export async function readRoutes(db: Db): Promise<RouteSnapshot> {
  const { rows } = await sql<Omit<Route, 'id'> & { id: string | null; stamp: string }>`
    select s.stamp, r.id, r.version, r.target_url as url, r.custom_headers as headers, r.filter,
      r.map, r.expires_at as "expiresAt"
    from webhook_routes_stamp s left join webhook_routes r
      on r.enabled and (r.expires_at is null or r.expires_at > now())
    order by r.created_at, r.id
  `.execute(db)
  const routes = rows.flatMap(({ stamp: _stamp, id, ...route }) =>
    id === null ? [] : [{ id, ...route }],
  )
  return { version: rows[0]?.stamp ?? '', routes }
}

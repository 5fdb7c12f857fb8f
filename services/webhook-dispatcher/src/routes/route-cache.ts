import type { Db } from '@posthorn/db'
import { type Clock, SingleFlight } from '@posthorn/flow'
import {
  readRoutes,
  readRoutesVersion,
  type Route,
  type RouteSnapshot,
} from '../store/target-sources.ts'

/** Cache of the enabled webhook routes. */
export type RouteCache = ReturnType<typeof cacheRoutes>

/**
 * Lifetime of cached webhook routes. Changes of routes are broadcast; the lifetime bounds the
 * effect of a lost broadcast.
 */
const ttlMs = 2_000

/**
 * Creates the cache of the enabled webhook routes. The transactions that create webhook deliveries
 * (fan-outs) compare the version of the routes, so they never use outdated routes. The version does
 * not change when a route expires, so expired routes are left out by the time of `clock`.
 */
export function cacheRoutes(db: Db, clock: Clock = Date.now) {
  let snapshot: RouteSnapshot = { version: '', routes: [] }
  let byId = new Map<string, Route>()
  let freshUntil = 0
  const reads = new SingleFlight<'routes', void>()
  const isValid = ({ expiresAt }: Route) => expiresAt === null || expiresAt.getTime() > clock()
  function findValid(id: string): Route | undefined {
    const route = byId.get(id)
    return route && isValid(route) ? route : undefined
  }

  async function read(): Promise<void> {
    const until = clock() + ttlMs
    if (snapshot.version === '' || (await readRoutesVersion(db)) !== snapshot.version) {
      snapshot = await readRoutes(db)
      byId = new Map(snapshot.routes.map((route) => [route.id, route]))
    }
    freshUntil = until
  }

  return {
    /**
     * Enabled webhook routes as read at the last refresh of the cache, without routes that have
     * expired since.
     */
    get snapshot(): RouteSnapshot {
      return { ...snapshot, routes: snapshot.routes.filter(isValid) }
    },
    /** Reads the webhook routes from Postgres if their version changed. */
    refresh: () => reads.run('routes', read),
    /**
     * Finds a webhook route that has not expired and is enabled, or was enabled within the lifetime
     * of the cache. Before a route counts as missing, the routes are read.
     */
    async find(id: string): Promise<Route | undefined> {
      if (clock() >= freshUntil || !findValid(id)) {
        // Waits for a read of the webhook routes in flight and then reads again, because the first
        // read may have started before a route changed.
        await reads.inFlight('routes')
        await reads.run('routes', read)
      }
      return findValid(id)
    },
    invalidate: () => void (freshUntil = 0),
  }
}

import type { Db } from '@posthorn/db'
import { SingleFlight } from '@posthorn/flow'
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
 * (fan-outs) compare the version of the routes, so they never use outdated routes.
 */
export function cacheRoutes(db: Db) {
  let snapshot: RouteSnapshot = { version: '', routes: [] }
  let byId = new Map<string, Route>()
  let freshUntil = 0
  const reads = new SingleFlight<'routes', void>()

  async function read(): Promise<void> {
    const until = Date.now() + ttlMs
    if (snapshot.version === '' || (await readRoutesVersion(db)) !== snapshot.version) {
      snapshot = await readRoutes(db)
      byId = new Map(snapshot.routes.map((route) => [route.id, route]))
    }
    freshUntil = until
  }

  return {
    /** Enabled webhook routes as read at the last refresh of the cache. */
    get snapshot(): RouteSnapshot {
      return snapshot
    },
    /** Reads the webhook routes from Postgres if their version changed. */
    refresh: () => reads.run('routes', read),
    /**
     * Finds a webhook route that is enabled, or was enabled within the lifetime of the cache.
     * Before a route counts as missing, the routes are read.
     */
    async find(id: string): Promise<Route | undefined> {
      if (Date.now() >= freshUntil || !byId.has(id)) {
        // Waits for a read of the webhook routes in flight and then reads again, because the first
        // read may have started before a route changed.
        await reads.inFlight('routes')
        await reads.run('routes', read)
      }
      return byId.get(id)
    },
    invalidate: () => void (freshUntil = 0),
  }
}

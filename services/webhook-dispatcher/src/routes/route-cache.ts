import type { Db } from '@posthorn/db'
import { readRoutes, readRoutesVersion, type Route, type RouteSnapshot } from '../store/routes.ts'

export interface RouteCache {
  /** As they were when last looked at. */
  readonly snapshot: RouteSnapshot
  /** Looks again, if anything has changed. */
  refresh(): Promise<void>
  /** The route, if it is there and switched on now, or was seconds ago. That it is not is believed only when just read. */
  find(id: string): Promise<Route | undefined>
  invalidate(): void
}

/** Changes are broadcast; this is for when a broadcast got lost. */
const keepMs = 2_000

/** The routes that are switched on. What decides by them compares the stamp and so cannot go by old ones; see `fanOut`. */
export function cacheRoutes(db: Db): RouteCache {
  let book: RouteSnapshot = { version: '', routes: [] }
  let byId = new Map<string, Route>()
  let freshUntil = 0
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const until = Date.now() + keepMs
    if (book.version === '' || (await readRoutesVersion(db)) !== book.version) {
      book = await readRoutes(db)
      byId = new Map(book.routes.map((route) => [route.id, route]))
    }
    freshUntil = until
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => (reading = undefined))
    return reading
  }

  return {
    get snapshot() {
      return book
    },
    refresh,
    async find(id) {
      if (Date.now() >= freshUntil || !byId.has(id)) {
        // One that is under way may have begun before the change.
        await reading
        await refresh()
      }
      return byId.get(id)
    },
    invalidate: () => void (freshUntil = 0),
  }
}

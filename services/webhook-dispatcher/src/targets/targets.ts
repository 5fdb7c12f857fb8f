import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { Batcher, TtlCache } from '@posthorn/flow'
import type { UnsealHeader, UnsealLogin } from '@posthorn/unseal'
import type { RouteCache } from '../routes/route-cache.ts'
import { isRoute } from '../store/deliveries.ts'
import { type AccountTarget, type Header, listAccountTargets } from '../store/target-sources.ts'
import {
  type OwnedHeaders,
  routeTargetOf,
  type Target,
  targetOf,
  type TargetedEvent,
} from './target.ts'

/** Target with the login of its URL and its header values in plaintext. */
export interface UnsealedTarget {
  name: string
  url: string
  headers: readonly Header[]
  /** Reason why a sealed value cannot be unsealed. Nothing is sent then. */
  unsealError?: string
}

type Delivery = Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'> & { target: string }

export interface Targets {
  /**
   * Current target of a delivery; undefined if there is none any more.
   * @throws AppError `unavailable` or `timeout` if auth-bridge does not respond
   */
  resolve(delivery: Delivery): Promise<UnsealedTarget | undefined>
  /** Drops the cached target of an account, or of all accounts. */
  invalidate(account?: string): void
}

export interface TargetsDeps {
  db: Db
  settings: SettingsCache
  routes: RouteCache
  unsealLogin: UnsealLogin
  unsealHeader: UnsealHeader
}

/** Changes are broadcast; the lifetime bounds the effect of a lost broadcast. */
const ttlMs = 2_000
const maxCached = 10_000

/** Resolves targets at the time of an attempt. A missing one is confirmed without the cache. */
export function createTargets(deps: TargetsDeps): Targets {
  const { db, settings, routes } = deps
  const cache = new TtlCache<string, AccountTarget>({ max: maxCached, ttlMs })
  const reads = new Batcher<string, AccountTarget | undefined>({
    maxItems: 500,
    async run(names) {
      const accounts = await listAccountTargets(db, [...new Set(names)])
      return names.map((name) => accounts.get(name))
    },
  })

  async function findAccount(name: string): Promise<AccountTarget | undefined> {
    const cached = cache.get(name)
    if (cached) return cached
    const account = await reads.add(name)
    if (account) cache.set(name, account)
    return account
  }

  async function findTarget(delivery: Delivery): Promise<Target | undefined> {
    const route = isRoute(delivery.target) ? await routes.find(delivery.target) : undefined
    if (isRoute(delivery.target) && !route) return undefined
    const account = await findAccount(delivery.account)
    const current = await settings.get()
    return route
      ? routeTargetOf(delivery, { route, account, settings: current })
      : targetOf(delivery, account, current)
  }

  return {
    async resolve(delivery) {
      let target = await findTarget(delivery)
      if (!target) {
        cache.delete(delivery.account)
        settings.invalidate()
        target = await findTarget(delivery)
      }
      return target && unsealTarget(target, deps)
    },
    invalidate(account) {
      if (account === undefined) cache.clear()
      else cache.delete(account)
    },
  }
}

async function unsealTarget(
  { name, url, headers }: Target,
  { unsealLogin, unsealHeader }: Pick<TargetsDeps, 'unsealLogin' | 'unsealHeader'>,
): Promise<UnsealedTarget> {
  const unsealedUrl = await undefinedIfNoKey(unsealLogin(url))
  if (unsealedUrl === undefined)
    return { name, url, headers: [], unsealError: 'The login in the address cannot be unsealed' }
  const unsealed = await undefinedIfNoKey(unsealHeaders(headers, unsealHeader))
  if (unsealed === undefined)
    return {
      name,
      url,
      headers: [],
      unsealError: 'The value of a custom header cannot be unsealed',
    }
  return { name, url: unsealedUrl, headers: unsealed }
}

function unsealHeaders(
  owned: readonly OwnedHeaders[],
  unsealHeader: UnsealHeader,
): Promise<Header[]> {
  return Promise.all(
    owned.flatMap(({ owner, headers }) =>
      headers.map(async ({ key, value = '' }) => ({
        key,
        value: await unsealHeader({ owner, key, value }),
      })),
    ),
  )
}

/** Undefined for a value that no key unseals. A retry would not change that. */
async function undefinedIfNoKey<T>(unsealed: Promise<T>): Promise<T | undefined> {
  try {
    return await unsealed
  } catch (error) {
    if (error instanceof AppError && error.kind === 'internal') return undefined
    throw error
  }
}

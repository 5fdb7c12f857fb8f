import { type Db, type SettingsCache } from '@posthorn/db'
import { batch } from '../attempt/batch.ts'
import { listAccountTargets } from '../store/accounts.ts'
import type { RouteCache } from '../routes/route-cache.ts'
import { unsealTarget, type UnsealedTarget, type Unsealers } from './unseal-target.ts'
import {
  type AccountTarget,
  isRoute,
  routeTargetOf,
  type Target,
  targetOf,
  type TargetedEvent,
} from './target.ts'

export interface CurrentTargets {
  /** Where a delivery goes now, with what is sealed in it opened; undefined: nowhere any more. */
  resolve(
    delivery: Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'> & { target: string },
  ): Promise<UnsealedTarget | undefined>
  /** An account changed; without a name, any of them may have. */
  invalidate(account?: string): void
}

/** Changes are broadcast; this is for when a broadcast got lost. */
const keepMs = 2_000
const maxKept = 10_000

export interface CurrentTargetsDeps extends Unsealers {
  db: Db
  settings: SettingsCache
  routes: RouteCache
}

type Delivery = Parameters<CurrentTargets['resolve']>[0]

/** Targets as they are at the time of an attempt. Kept for seconds; that a target is gone is believed only when just read. */
export function createTargets({
  db,
  settings,
  routes,
  ...openers
}: CurrentTargetsDeps): CurrentTargets {
  const kept = new Map<string, { account: AccountTarget; until: number }>()
  const read = batch<string, AccountTarget | undefined>({
    max: 500,
    waitMs: 0,
    async work(names) {
      const found = await listAccountTargets(db, [...new Set(names)])
      return names.map((name) => found.get(name))
    },
  })

  async function find(name: string): Promise<AccountTarget | undefined> {
    const known = kept.get(name)
    if (known && known.until > Date.now()) return known.account
    const account = await read(name)
    if (kept.size >= maxKept) kept.clear()
    if (account) kept.set(name, { account, until: Date.now() + keepMs })
    return account
  }

  async function findTarget(delivery: Delivery): Promise<Target | undefined> {
    const route = isRoute(delivery.target) ? await routes.find(delivery.target) : undefined
    if (isRoute(delivery.target) && !route) return undefined
    const now = { account: await find(delivery.account), settings: await settings.get() }
    return route
      ? routeTargetOf(delivery, { ...now, route })
      : targetOf(delivery, now.account, now.settings)
  }

  return {
    async resolve(delivery) {
      const target = await findTarget(delivery)
      if (target) return unsealTarget(target, openers)
      kept.delete(delivery.account)
      settings.invalidate()
      const found = await findTarget(delivery)
      return found && unsealTarget(found, openers)
    },
    invalidate(account) {
      if (account === undefined) kept.clear()
      else kept.delete(account)
    },
  }
}

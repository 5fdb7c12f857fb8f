import { type Db, type SettingsCache } from '@posthorn/db'
import { batch } from '../delivery/batch.ts'
import { listAccountTargets } from '../store/accounts.ts'
import type { KnownRoutes } from '../routes/known-routes.ts'
import { openTarget, type OpenedTarget, type Openers } from './open-target.ts'
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
  of(
    delivery: Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'> & { target: string },
  ): Promise<OpenedTarget | undefined>
  /** An account changed; without a name, any of them may have. */
  forget(account?: string): void
}

/** Changes are broadcast; this is for when a broadcast got lost. */
const keepMs = 2_000
const maxKept = 10_000

export interface CurrentTargetsDeps extends Openers {
  db: Db
  settings: SettingsCache
  routes: KnownRoutes
}

type Delivery = Parameters<CurrentTargets['of']>[0]

/** Targets as they are at the time of an attempt. Kept for seconds; that a target is gone is believed only when just read. */
export function currentTargets({
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

  async function look(delivery: Delivery): Promise<Target | undefined> {
    const route = isRoute(delivery.target) ? await routes.find(delivery.target) : undefined
    if (isRoute(delivery.target) && !route) return undefined
    const now = { account: await find(delivery.account), settings: await settings.get() }
    return route
      ? routeTargetOf(delivery, { ...now, route })
      : targetOf(delivery, now.account, now.settings)
  }

  return {
    async of(delivery) {
      const target = await look(delivery)
      if (target) return openTarget(target, openers)
      kept.delete(delivery.account)
      settings.invalidate()
      const found = await look(delivery)
      return found && openTarget(found, openers)
    },
    forget(account) {
      if (account === undefined) kept.clear()
      else kept.delete(account)
    },
  }
}

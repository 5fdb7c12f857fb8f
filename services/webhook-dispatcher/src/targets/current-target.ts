import { type Db, type SettingsCache } from '@posthorn/db'
import { batch } from '../delivery/batch.ts'
import { listAccountTargets } from '../store/accounts.ts'
import { type AccountTarget, type Target, targetOf, type TargetedEvent } from './target.ts'

export interface CurrentTargets {
  /** Where a delivery goes now; undefined: nowhere any more. */
  of(
    delivery: Pick<TargetedEvent, 'event' | 'accountTarget'> & { account: string },
  ): Promise<Target | undefined>
  /** An account changed; without a name, any of them may have. */
  forget(account?: string): void
}

/** Changes are broadcast; this is for when a broadcast got lost. */
const keepMs = 2_000
const maxKept = 10_000

/** Targets as they are at the time of an attempt. Kept for seconds; that a target is gone is believed only when just read. */
export function currentTargets(db: Db, settings: SettingsCache): CurrentTargets {
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

  return {
    async of(delivery) {
      const target = targetOf(delivery, await find(delivery.account), await settings.get())
      if (target) return target
      kept.delete(delivery.account)
      settings.invalidate()
      return targetOf(delivery, await find(delivery.account), await settings.get())
    },
    forget(account) {
      if (account === undefined) kept.clear()
      else kept.delete(account)
    },
  }
}

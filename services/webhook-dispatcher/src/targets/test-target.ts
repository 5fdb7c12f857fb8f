import type { CommandRequest } from '@posthorn/contracts/define'
import type { verifyWebhook } from '@posthorn/contracts/commands/verify'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { targetAddress } from '@posthorn/contracts/target-address'
import { type AccountTarget, listAccountTargets } from '../store/target-sources.ts'
import {
  type Target,
  targetOf,
  type TargetsDeps,
  type UnsealedTarget,
  unsealTarget,
} from './targets.ts'

/** Name of the event of test calls of webhook targets. No account has such an event. */
export const testEvent = 'test'

const noAccount: AccountTarget = { webhooks: null, webhooksCustomHeaders: null, tenantSet: [] }

/** Finds the webhook target of a test call. Undefined if no such target is configured. */
export type FindTestTarget = (
  selection: CommandRequest<typeof verifyWebhook>,
) => Promise<UnsealedTarget | undefined>

/**
 * Creates the function that finds webhook targets of test calls. Accounts and settings are read
 * without a cache, so that a change is tested immediately. `webhooksEnabled` counts as true, so
 * that a target can be tested before it gets events.
 */
export function createFindTestTarget(deps: Omit<TargetsDeps, 'routes'>): FindTestTarget {
  const { db, settings: cache } = deps
  return async ({ url, account = '' }) => {
    cache.invalidate()
    const settings = { ...(await cache.get()), webhooksEnabled: true }
    const stored =
      account === '' ? noAccount : (await listAccountTargets(db, [account])).get(account)
    const event = { event: testEvent, eventRow: '0', account, accountTarget: null }
    const target = url === undefined ? targetOf(event, stored, settings) : urlTarget(url, settings)
    return target && unsealTarget(target, deps)
  }
}

/**
 * Webhook target with a URL from a request. The headers of the default target may be credentials,
 * so they are sent only to the address of the default target.
 */
function urlTarget(url: string, settings: Settings): Target {
  const event = { event: testEvent, eventRow: '0', account: '', accountTarget: null }
  const byDefault = targetOf(event, noAccount, settings)
  const isDefault = byDefault !== undefined && targetAddress(byDefault.url) === targetAddress(url)
  return { name: 'default', url, headers: isDefault ? byDefault.headers : [] }
}

import { loanValidMs } from '@posthorn/contracts/commands/quota'
import type { BucketStart, QuotaRate } from '@posthorn/flow'
import type { ProviderLimits } from './provider-limits.ts'

/**
 * Share of a quota (units per time window) that can be used in one burst. With the published
 * limits, the share is enough for a batch of 25 gets, or for sending a message. With lower limits,
 * it is enough for one call of each kind.
 */
const burstShare = 1 / 8

/** Request quota that never limits: more units than all processes can use. */
export const unlimited: QuotaRate = { units: 2e15, windowMs: 1, burst: 1e15 }

/**
 * Quota units of the most expensive operation of a provider. A loan may take the quota of a mailbox
 * into debt by at most this number of units.
 */
export function maxCostOf({ defaultCost, costs }: ProviderLimits): number {
  return Math.max(defaultCost, ...Object.values(costs))
}

/**
 * Rate of a quota of `units` per time window. The share `burstShare` of the units is available
 * immediately.
 */
export function rateOf(limits: ProviderLimits, units: number, windowMs: number): QuotaRate {
  const burst = Math.min(units / 2, Math.max(units * burstShare, maxCostOf(limits)))
  return { units, windowMs, burst }
}

/**
 * Share of an OAuth2 application's quota units that all processes of one service (sync-worker or
 * sender) have together.
 */
export function serviceShare(
  { senderPercent }: ProviderLimits,
  service: 'sync-worker' | 'sender',
): number {
  return (service === 'sender' ? senderPercent : 100 - senderPercent) / 100
}

/**
 * Rate of a mailbox's quota units in its sync-worker. The time window is longer by `loanValidMs`,
 * because lent units may be used up to that time later.
 */
export function accountShare(
  limits: ProviderLimits,
  { lendsAll }: { lendsAll?: () => boolean },
): QuotaRate {
  const { accountUnits, accountWindowMs, reservePercent, senderPercent } = limits
  // Senders of an earlier release use their share of a mailbox's quota units without borrowing, so
  // this share is subtracted.
  const left = 100 - reservePercent - (lendsAll?.() === false ? senderPercent : 0)
  const units = (accountUnits * Math.max(1, left)) / 100
  return rateOf(limits, units, accountWindowMs + loanValidMs)
}

/**
 * Rate of the reserve of a mailbox: the quota units that all senders together may use without
 * borrowing units from a sync-worker.
 */
export function reserveOf(limits: ProviderLimits): QuotaRate {
  const { accountUnits, accountWindowMs, reservePercent } = limits
  const units = (accountUnits * reservePercent) / 100
  return rateOf(limits, units, accountWindowMs + loanValidMs)
}

/**
 * Initial quota units of a mailbox that another process owned before. Assumes that the previous
 * owner used the whole burst and lent up to the largest debt, so that both owners together stay
 * within each time window. Undefined without a previous owner.
 */
export function startAfter(
  limits: ProviderLimits,
  heldSince: number | undefined,
): BucketStart | undefined {
  if (heldSince === undefined) return undefined
  return { at: heldSince + loanValidMs, units: -maxCostOf(limits) }
}

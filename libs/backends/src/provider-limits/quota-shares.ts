import { loanValidMs } from '@posthorn/contracts/commands/quota'
import type { BucketStart, QuotaRate } from '@posthorn/flow'
import type { ProviderLimits } from './provider-limits.ts'

/**
 * Share of the provider's quota units that is available immediately. With the published limits, the
 * share is enough for a batch of 25 gets, or for sending a message. With lower limits, it is enough
 * for one call of each kind.
 */
const burstShare = 1 / 8

/** Request quota without effect: more units than all processes can use. */
export const unlimited: QuotaRate = { units: 2e15, windowMs: 1, burst: 1e15 }

/** Units of the dearest operation of a provider. The largest debt of a loan. */
export function maxCostOf({ defaultCost, costs }: ProviderLimits): number {
  return Math.max(defaultCost, ...Object.values(costs))
}

/** Rate of a quota of `units`. `burstShare` of the units is available immediately. */
export function rateOf(limits: ProviderLimits, units: number, windowMs: number): QuotaRate {
  const burst = Math.min(units / 2, Math.max(units * burstShare, maxCostOf(limits)))
  return { units, windowMs, burst }
}

/** Share of an application's units that all processes of a service have together. */
export function serviceShare(
  { senderPercent }: ProviderLimits,
  service: 'sync-worker' | 'sender',
): number {
  return (service === 'sender' ? senderPercent : 100 - senderPercent) / 100
}

/**
 * Rate of the units of a mailbox in its sync-worker. Lent units may be used up to `loanValidMs`
 * after they were taken, so the window is longer by this time.
 */
export function accountShare(
  limits: ProviderLimits,
  { lendsAll }: { lendsAll?: () => boolean },
): QuotaRate {
  const { accountUnits, accountWindowMs, reservePercent, senderPercent } = limits
  // Senders of an earlier release use their share without a loan.
  const left = 100 - reservePercent - (lendsAll?.() === false ? senderPercent : 0)
  const units = (accountUnits * Math.max(1, left)) / 100
  return rateOf(limits, units, accountWindowMs + loanValidMs)
}

/** Rate of the units of a mailbox that all senders together use without a loan. */
export function reserveOf(limits: ProviderLimits): QuotaRate {
  const { accountUnits, accountWindowMs, reservePercent } = limits
  const units = (accountUnits * reservePercent) / 100
  return rateOf(limits, units, accountWindowMs + loanValidMs)
}

/**
 * Units of a mailbox whose last owner had used all of the burst, and had lent the largest debt: the
 * two owners together then stay within each window. Undefined without an earlier owner.
 */
export function startAfter(
  limits: ProviderLimits,
  heldSince: number | undefined,
): BucketStart | undefined {
  if (heldSince === undefined) return undefined
  return { at: heldSince + loanValidMs, units: -maxCostOf(limits) }
}

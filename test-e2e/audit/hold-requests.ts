import type { DeliveryGate, ProviderFault } from '@posthorn/testkit/providers'

/**
 * Fault that holds the response to the n-th request of each mailbox, so that its service stands
 * still before the commit that follows. `positions` has n by mailbox.
 */
export function holdsRequests(
  positions: ReadonlyMap<string, number>,
  gate: DeliveryGate,
): ProviderFault {
  const counts = new Map<string, number>()
  return ({ path, raw, headers }) => {
    // Parts of a batch have no host. The batch itself names the mailbox in its parts only.
    if (headers.host === undefined) return undefined
    const [, user = ''] = /\/users\/([^/]+)/.exec(`${path} ${raw.toString('latin1')}`) ?? []
    const mailbox = decodeURIComponent(user)
    const count = (counts.get(mailbox) ?? 0) + 1
    counts.set(mailbox, count)
    return positions.get(mailbox) === count ? { kind: 'hold', gate } : undefined
  }
}

import type { DeliveryGate, ProviderFault, ProviderRequest } from '@posthorn/testkit/providers'

/**
 * Fault that holds the response to the n-th request of each mailbox, so that its service stands
 * still before the commit that follows. `positions` has n by mailbox. `ownerOf` names the mailbox
 * that requests call `me`.
 */
export function holdsRequests(
  positions: ReadonlyMap<string, number>,
  gate: DeliveryGate,
  ownerOf: (request: ProviderRequest) => string | undefined = () => undefined,
): ProviderFault {
  const counts = new Map<string, number>()
  return (request) => {
    const { path, raw, headers } = request
    // Parts of a batch have no host. The batch itself names the mailbox in its parts only.
    if (headers.host === undefined) return undefined
    const [, user = ''] = /\/users\/([^/]+)/.exec(`${path} ${raw.toString('latin1')}`) ?? []
    const mailbox = user === 'me' ? (ownerOf(request) ?? user) : decodeURIComponent(user)
    const count = (counts.get(mailbox) ?? 0) + 1
    counts.set(mailbox, count)
    return positions.get(mailbox) === count ? { kind: 'hold', gate } : undefined
  }
}

import type { DeliveryGate, ProviderFault, ProviderRequest } from '@posthorn/testkit/providers'

/**
 * Fault of a provider fake that holds the response to the n-th request of each mailbox. The service
 * is then stopped before the commit after the request. `positions` has n by mailbox. `ownerOf`
 * returns the mailbox of a request to `me`.
 */
export function holdsRequests(
  positions: ReadonlyMap<string, number>,
  gate: DeliveryGate,
  ownerOf: (request: ProviderRequest) => string | undefined = () => undefined,
): ProviderFault {
  const counts = new Map<string, number>()
  return (request) => {
    const { path, raw, headers } = request
    // Requests to a provider fake without a Host header are parts of a batch and are not counted.
    // The batch itself is counted for the mailbox that its parts name.
    if (headers.host === undefined) return undefined
    const [, user = ''] = /\/users\/([^/]+)/.exec(`${path} ${raw.toString('latin1')}`) ?? []
    const mailbox = user === 'me' ? (ownerOf(request) ?? user) : decodeURIComponent(user)
    const count = (counts.get(mailbox) ?? 0) + 1
    counts.set(mailbox, count)
    return positions.get(mailbox) === count ? { kind: 'hold', gate } : undefined
  }
}

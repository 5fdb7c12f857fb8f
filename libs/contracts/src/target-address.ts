/**
 * Address of a webhook target: the URL without login and query, which may be secret. Deliveries are
 * queued by this address.
 */
export function targetAddress(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 1_000)
}

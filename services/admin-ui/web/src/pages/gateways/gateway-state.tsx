import type { Gateway } from '../../data/lists/gateways.ts'
import { Badge } from '../../kit/content/badge.tsx'

/** Badge with the result of the last attempt to send through a gateway. */
export function GatewayState({ gateway: { lastError, lastUse } }: { gateway: Gateway }) {
  if (lastError !== null) return <Badge tone="bad">failing</Badge>
  return lastUse === null ? <Badge tone="neutral">unused</Badge> : <Badge tone="good">works</Badge>
}

import type { GatewayListRow, GatewayRow } from '../../store/gateways.ts'
import { mask } from '../../http/masks.ts'

/** A gateway in a list. One that nothing was sent by has no state yet. */
export function describeListed(row: GatewayListRow) {
  const { gateway, name, deliveries, lastUse, lastError } = row
  return {
    gateway,
    name,
    deliveries: Number(deliveries ?? 0),
    lastUse: lastUse?.toISOString() ?? null,
    lastError,
  }
}

/** A gateway as it is read back, its password masked. */
export function describeGateway(row: GatewayRow) {
  const { username, hasPassword, host, port, secure } = row
  return {
    ...describeListed(row),
    user: username,
    ...(hasPassword ? { pass: mask } : {}),
    host,
    port,
    secure,
  }
}

import type { GatewayError } from '@posthorn/contracts/schemas/gateway'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Gateways: outgoing mail servers that belong to no account. Written by api-gateway. */
export interface Gateways {
  gateway: string
  name: string
  host: string
  port: number
  secure: Generated<boolean>
  username: string | null
  /**
   * Version of the settings of a gateway (outgoing mail server), incremented by every change of the
   * row, so that an SMTP session detects changes.
   */
  version: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Sealed (encrypted) passwords of gateways (outgoing mail servers). Written by api-gateway. Only
 * auth-bridge can unseal them.
 */
export interface GatewayCredentials {
  gateway: string
  sealed: string
  updatedAt: Generated<Date>
}

/** State of sending through gateways (outgoing mail servers). Written by sender. */
export interface GatewayStates {
  gateway: string
  deliveries: Generated<string>
  lastUse: Date | null
  lastError: JsonOrNull<GatewayError>
}

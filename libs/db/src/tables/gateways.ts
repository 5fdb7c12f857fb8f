import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Outgoing servers that belong to no account. Written by api-gateway. */
export interface Gateways {
  gateway: string
  name: string
  host: string
  port: number
  secure: Generated<boolean>
  username: string | null
  /** Raised by every change: a session knows by it that it is out of date. */
  version: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/** Their passwords, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge. */
export interface GatewayCredentials {
  gateway: string
  sealed: string
  updatedAt: Generated<Date>
}

/** Why the last delivery failed. */
export interface GatewayFailure {
  /** Milliseconds since 1970. */
  created: number
  status: 'error'
  response?: string
  responseCode?: number
  code?: string
  command?: string
  description?: string
  networkRouting?: object | null
}

/** How they are doing. Written by sender. */
export interface GatewayStates {
  gateway: string
  deliveries: Generated<string>
  lastUse: Date | null
  lastError: JsonOrNull<GatewayFailure>
}

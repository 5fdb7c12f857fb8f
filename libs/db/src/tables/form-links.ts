import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/**
 * Links to the hosted form for registering an account, valid for one success each. Written by
 * api-gateway.
 */
export interface FormLinks {
  nonce: string
  /** Id of the account that the form registers or changes; the account may not exist yet. */
  account: string
  /** Prefilled fields of the form, and the URL to redirect to. */
  request: Json<Record<string, unknown>>
  /** Number of mail server probes made for this form link. */
  probes: Generated<number>
  expiresAt: Date
  /** Result of the form, set when the link is used: whether the account was new or existed. */
  state: Generated<'new' | 'existing' | null>
}

import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Links to the hosted form, valid for one success each. Written by api-gateway. */
export interface FormLinks {
  nonce: string
  /** Id of the account; it may not exist yet. */
  account: string
  /** Prefilled fields, and the URL to redirect to. */
  request: Json<Record<string, unknown>>
  /** Number of server probes made for this link. */
  probes: Generated<number>
  expiresAt: Date
  /** Set when the link is used: whether the account was new or existed. */
  state: Generated<'new' | 'existing' | null>
}

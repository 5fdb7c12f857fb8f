import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Links to the hosted form: one success each. Written by api-gateway. */
export interface FormLinks {
  nonce: string
  /** What the mailbox becomes; it may not be there yet. */
  account: string
  /** What is known of it already, and where the person goes then. */
  request: Json<Record<string, unknown>>
  /** Servers asked on behalf of whoever has the link. */
  probes: Generated<number>
  expiresAt: Date
  /** Set when it was used: whether the account was there before. */
  state: Generated<'new' | 'existing' | null>
}

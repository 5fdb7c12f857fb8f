import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/**
 * Links to the hosted form for registering an account. Each link is valid for one success. Written
 * by api-gateway.
 */
export interface FormLinks {
  nonce: string
  /** Id of the account that the hosted form registers or changes. The account may not exist yet. */
  account: string
  /**
   * Prefilled fields of the hosted form, and the URL to which the browser is redirected afterwards.
   */
  request: Json<Record<string, unknown>>
  /**
   * Number of attempts to connect to mail servers that were made through this link to the hosted
   * form.
   */
  probes: Generated<number>
  expiresAt: Date
  /**
   * Result of the hosted form: the registered account was new or existed before. Null until the
   * link to the form is used.
   */
  state: Generated<'new' | 'existing' | null>
}

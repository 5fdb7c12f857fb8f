import type { Generated } from 'kysely'

/** Recipients that get no messages of a mailing list of an account. Written by api-gateway. */
export interface AccountListBlocks {
  account: string
  /** Id of the list in lower case. */
  listId: string
  /** Key of the recipient's address, see `addressKey`. */
  recipient: string
  messageId: string | null
  source: 'api' | 'admin' | 'form' | 'one-click'
  reason: Generated<string>
  remoteAddress: string | null
  userAgent: string | null
  createdAt: Generated<Date>
}

/**
 * Number of times an address left or joined a mailing list of any account. Written by api-gateway.
 */
export interface ListTurns {
  listId: string
  recipient: string
  turn: number
}

/**
 * Mailing lists with their number of blocked recipients. Written by triggers of
 * `account_list_blocks`.
 */
export interface Lists {
  listId: string
  blocked: string
}

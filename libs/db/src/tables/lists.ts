import type { Generated } from 'kysely'

/** Recipients that get no messages of an account's mailing list. Written by api-gateway. */
export interface AccountListBlocks {
  account: string
  /** Id of the mailing list in lower case. */
  listId: string
  /** Key by which the recipient's address is compared (see `addressKey`). */
  recipient: string
  messageId: string | null
  source: 'api' | 'admin' | 'form' | 'one-click'
  reason: Generated<string>
  remoteAddress: string | null
  userAgent: string | null
  createdAt: Generated<Date>
}

/**
 * Number of times that an address has left or joined a mailing list, for all accounts. Written by
 * api-gateway.
 */
export interface ListTurns {
  listId: string
  recipient: string
  turn: number
}

/**
 * Mailing lists with the number of their blocked recipients. Written by triggers of the table
 * `account_list_blocks`.
 */
export interface Lists {
  listId: string
  blocked: string
}

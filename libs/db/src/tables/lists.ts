import type { Generated } from 'kysely'

/** Unsubscribed recipients of lists. Written by api-gateway. */
export interface ListBlocks {
  /** Lower case. */
  listId: string
  /** Lower case. */
  recipient: string
  account: string
  messageId: string | null
  source: 'api' | 'admin' | 'form' | 'one-click'
  reason: Generated<string>
  remoteAddress: string | null
  userAgent: string | null
  createdAt: Generated<Date>
}

/** Number of times an address left or joined a list. Written by api-gateway. */
export interface ListTurns {
  listId: string
  recipient: string
  turn: number
}

/** Lists with their number of unsubscribed addresses. Written by triggers of `list_blocks`. */
export interface Lists {
  listId: string
  blocked: string
}

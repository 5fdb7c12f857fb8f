import type { Generated } from 'kysely'

/** Who gets nothing from a list any more. Written by api-gateway. */
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

/** How often an address has left or joined a list. Written by api-gateway. */
export interface ListTurns {
  listId: string
  recipient: string
  turn: number
}

/** How many addresses are on each list; one without any is not there. Written by triggers of `list_blocks`. */
export interface Lists {
  listId: string
  blocked: string
}

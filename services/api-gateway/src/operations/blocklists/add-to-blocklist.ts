import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { getOwner } from '../../store/accounts.ts'
import { insertBlock } from '../../store/lists.ts'
import { handle } from '../../http/route.ts'

/** Puts an address on a list. Nobody has left by themselves, so there is no event. */
export function onAddToBlocklist({ db }: { db: Db }) {
  return handle(operations.addToBlocklist, async ({ params: { listId }, body, caller }) => {
    const { account, recipient, reason = 'block' } = body
    await getOwner(db, account)
    const block = { listId, recipient, account, reason, source: 'api', messageId: null } as const
    const seen = { remoteAddress: caller.address, userAgent: null }
    return { success: true, added: await insertBlock(db, { ...block, ...seen }) }
  })
}

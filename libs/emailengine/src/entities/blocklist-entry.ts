import { addToBlocklist } from '@posthorn/contracts/operations/blocklists'
import { type Static, Type } from 'typebox'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, isUnset } from './values.ts'

/** Parameters and body of the API operation `addToBlocklist`. */
export const BlocklistInput = Type.Object({
  params: addToBlocklist.params,
  body: addToBlocklist.body,
})
export type BlocklistInput = Static<typeof BlocklistInput>

/**
 * Address on a blocklist, as EmailEngine stores it: field of the list's hash with the JSON text as
 * record.
 */
export interface StoredBlocklistEntry {
  listId: string
  address: string
  record: StoredObject
}

/**
 * Maps an entry of an EmailEngine blocklist to the input of `addToBlocklist`, which has no members
 * for the origin and the time of the entry.
 */
export function mapBlocklistEntry({
  listId,
  address,
  record: { recipient, account, reason },
}: StoredBlocklistEntry): Entry<BlocklistInput> {
  return fitInput(
    {
      kind: 'blocklist',
      id: `${listId}/${address}`,
      schema: BlocklistInput,
      essential: { valid: /^(?:params|body\.(?:account|recipient))(?:\.|$)/ },
    },
    {
      candidate: {
        params: { listId },
        body: compact({
          account,
          recipient: isUnset(recipient) ? address : recipient,
          reason: isUnset(reason) ? undefined : reason,
        }),
      },
    },
  )
}

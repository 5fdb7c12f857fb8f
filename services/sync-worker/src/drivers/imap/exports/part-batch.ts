import type { MailSession, MessagePartsRequest } from '@posthorn/backends'
import { Batcher } from '@posthorn/flow'

/** Reads parts of several messages of the selected mailbox together. */
export type PartBatch = Pick<MailSession, 'readParts'>

/** Maximum messages whose parts are read together. */
const maxItems = 100

/**
 * Merges concurrent reads of parts into few FETCH commands. Messages whose parts are not returned
 * are read one by one, which gives the error of each message.
 */
export function batchParts(mail: Pick<MailSession, 'readParts' | 'readPartsOfAll'>): PartBatch {
  const batcher = new Batcher({
    maxItems,
    run: (requests: MessagePartsRequest[]) => mail.readPartsOfAll(requests),
  })
  return {
    async readParts(uid, structure, wanted) {
      const parts = await batcher.add({ uid, structure, wanted })
      return parts ?? mail.readParts(uid, structure, wanted)
    },
  }
}

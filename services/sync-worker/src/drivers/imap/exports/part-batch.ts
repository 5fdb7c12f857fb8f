import type { FetchedMessage, MailSession, MessagePartsRequest } from '@posthorn/backends'
import { Batcher } from '@posthorn/flow'

/** Reads parts of several messages of the selected mailbox together. */
export interface PartBatch {
  /** Requests for parts that were made so far, of all messages. */
  readonly requests: readonly MessagePartsRequest[]
  /** Reader of the parts of a message. Uses the sections that were fetched with the message. */
  of(message: Pick<FetchedMessage, 'sections'>): Pick<MailSession, 'readParts'>
}

/** Maximum messages whose parts are read together. */
const maxItems = 100

/**
 * Merges concurrent reads of parts into few FETCH commands. Messages whose parts are not returned
 * are read one by one, which gives the error of each message.
 */
export function batchParts(mail: Pick<MailSession, 'readParts' | 'readPartsOfAll'>): PartBatch {
  const requests: MessagePartsRequest[] = []
  const batcher = new Batcher({
    maxItems,
    run: (batch: MessagePartsRequest[]) => mail.readPartsOfAll(batch),
  })
  return {
    requests,
    of: ({ sections: fetched = [] }) => ({
      async readParts(uid, structure, wanted) {
        requests.push({ uid, structure, wanted })
        const parts = await batcher.add({ uid, structure, wanted, fetched })
        return parts ?? mail.readParts(uid, structure, wanted)
      },
    }),
  }
}

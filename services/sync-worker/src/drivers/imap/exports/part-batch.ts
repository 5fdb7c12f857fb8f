import type { FetchedMessage, MailSession, MessagePartsRequest } from '@posthorn/backends'
import { Batcher } from '@posthorn/flow'

/** Reads MIME parts of several messages of the selected mailbox together. */
export interface PartBatch {
  /** Requests for MIME parts of all messages that were made so far. */
  readonly requests: readonly MessagePartsRequest[]
  /**
   * Reader of one message's MIME parts. Uses the sections that were fetched together with the
   * message.
   */
  of(message: Pick<FetchedMessage, 'sections'>): Pick<MailSession, 'readParts'>
}

/** Maximum messages whose MIME parts are read together. */
const maxItems = 100

/**
 * Merges concurrent reads of MIME parts into few FETCH commands. If the server returns no parts of
 * a message, reads these parts separately, to get the error of the message.
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

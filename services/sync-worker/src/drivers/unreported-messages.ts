/** Message to read: named by sync triggers, or not yet reported by a feed (list of changes). */
export interface NamedMessage {
  readonly isDeleted: boolean
  /** Number of times that the message to sync was already read. */
  readonly tries: number
  /** Time at which the message to sync is read next, in epoch milliseconds. */
  readonly at: number
}

/** Message that sync triggers named, but no feed (list of changes) reported. */
export interface UnreportedMessage {
  readonly id: string
  /** True if the message is not indexed. */
  readonly isNew: boolean
}

/** Messages that wait to be read, and messages that the sync action in progress reads. */
interface ReadMessages {
  readonly messages: ReadonlyMap<string, NamedMessage>
  readonly running?: { readonly messages: ReadonlyMap<string, NamedMessage> } | undefined
}

/** Delays in milliseconds before a message in a list of changes or a notification is read again. */
export const retryDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const

/**
 * Maximum repeated reads of an indexed message that a notification named. The index may already
 * contain the change of the message.
 */
const maxIndexedRepeats = 3
/** Maximum messages of an account that wait in the sync schedule to be read again. */
const maxWaiting = 1_000

/** Adds messages that no feed reported to the waiting messages, with the time of the next read. */
export function addUnreported(
  { messages, running }: ReadMessages,
  unreported: readonly UnreportedMessage[],
  now: number,
): ReadonlyMap<string, NamedMessage> {
  const all = new Map(messages)
  for (const { id, isNew } of unreported) {
    const tries = running?.messages.get(id)?.tries ?? 0
    const delayMs = isNew || tries < maxIndexedRepeats ? retryDelaysMs[tries] : undefined
    if (delayMs !== undefined && !all.has(id) && all.size < maxWaiting)
      all.set(id, { isDeleted: false, tries: tries + 1, at: now + delayMs })
  }
  return all
}

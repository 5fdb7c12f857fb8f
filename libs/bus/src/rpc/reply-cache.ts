import { TtlCache } from '@posthorn/flow'

const ttlMs = 600_000
const maxReplies = 10_000
const maxBytes = 16 * 1024 * 1024
/** Maximum size of a reply that the reply cache stores. Larger replies are not stored. */
const maxReplyBytes = 64 * 1024

export interface EncodedReply {
  content: Buffer
  /** Result of the request that the reply belongs to, as a label of the metrics. */
  result: string
  /**
   * True if a repeated request gets the stored reply: success or permanent failure of a command
   * that must not run twice.
   */
  final: boolean
}

/**
 * Cache of the replies of the last 10 minutes by request, so that a repeated request is not
 * executed again. Holds up to 10,000 replies and 16 MiB.
 */
export class ReplyCache {
  readonly #replies = new TtlCache<string, EncodedReply>({
    ttlMs,
    max: maxReplies,
    maxSize: maxBytes,
    sizeOf: ({ content }) => content.length,
  })

  /**
   * Reply to a request: the stored reply, the reply in progress, or the result of `execute`, which
   * must not reject.
   */
  once(request: string, execute: () => Promise<EncodedReply>): Promise<EncodedReply> {
    return this.#replies.load(request, async () => withOwnBytes(await execute()), {
      storeIf: isStored,
    })
  }
}

function isStored({ final, content }: EncodedReply): boolean {
  return final && content.length <= maxReplyBytes
}

/**
 * Copies the content of a reply out of Node's pool of small buffers. A slice of the pool keeps the
 * pool of 64 KiB in memory.
 */
function withOwnBytes(reply: EncodedReply): EncodedReply {
  const { content } = reply
  if (!isStored(reply) || content.length === content.buffer.byteLength) return reply
  const own = Buffer.allocUnsafeSlow(content.length)
  own.set(content)
  return { ...reply, content: own }
}

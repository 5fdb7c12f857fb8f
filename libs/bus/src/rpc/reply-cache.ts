import { TtlCache } from '@posthorn/flow'

const ttlMs = 600_000
const maxReplies = 10_000
const maxBytes = 16 * 1024 * 1024
/** Maximum size of a reply in the reply cache. Larger replies are not cached. */
const maxReplyBytes = 64 * 1024

export interface EncodedReply {
  content: Buffer
  /** Result of the RPC request to which the reply belongs, as a metric label. */
  result: string
  /**
   * True if repeats of an RPC request get this reply. True after success or permanent failure of a
   * command that must not run twice.
   */
  final: boolean
}

/**
 * Cache of the replies of the last 10 minutes, by RPC request. Repeats of a request get the cached
 * reply and are not executed. Holds up to 10,000 replies and 16 MiB.
 */
export class ReplyCache {
  readonly #replies = new TtlCache<string, EncodedReply>({
    ttlMs,
    max: maxReplies,
    maxSize: maxBytes,
    sizeOf: ({ content }) => content.length,
  })

  /**
   * Returns the reply to an RPC request. Executes the request unless its reply is cached or its
   * execution is in progress. `execute` must not reject.
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
 * Copies the content of an RPC reply into a buffer of its own. Small buffers share a pool of 64
 * KiB, so that a cached buffer would keep the whole pool in memory.
 */
function withOwnBytes(reply: EncodedReply): EncodedReply {
  const { content } = reply
  if (!isStored(reply) || content.length === content.buffer.byteLength) return reply
  const own = Buffer.allocUnsafeSlow(content.length)
  own.set(content)
  return { ...reply, content: own }
}

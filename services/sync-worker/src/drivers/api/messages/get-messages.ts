import {
  type ApiMessage,
  type GetOptions,
  isMailApiError,
  type MailApi,
} from '@posthorn/backends/mail-api'
import {
  expectObjectFailure,
  isMailboxFailure,
  isUnclear,
  type OnRefusal,
  type Refusal,
} from './refusals.ts'

/** Mailbox from which messages are requested. */
export interface MessageSource {
  readonly api: Pick<MailApi, 'getMessages' | 'profile'>
  /** Lists ids of indexed messages, which the provider probably returns. */
  readonly listKnown: () => Promise<readonly string[]>
  readonly onRefusal?: OnRefusal | undefined
  readonly signal: AbortSignal
}

/**
 * Result of a request for messages to a mail API. Messages that are neither returned nor in
 * `refused` are missing.
 */
export interface GotMessages {
  messages: ApiMessage[]
  refused: ReadonlySet<string>
}

/**
 * Maximum messages per call of `MailApi` that requests messages without their texts. Clients of
 * mail APIs divide the call into batches.
 */
export const maxGets = 20
/**
 * Maximum bytes of message texts that a request to a mail API may take in memory. With the default
 * text limits, sufficient for two batches of Microsoft Graph.
 */
export const maxTextsBytes = 24 * 1024 * 1024

/**
 * Computes the maximum number of messages in one request. Depends on the size of the requested
 * texts, because all texts of a request are in memory together.
 */
export function groupSize({ maxTextBytes }: GetOptions): number {
  if (maxTextBytes === undefined) return maxGets
  // Plain text and HTML of a message may each take `maxTextBytes`.
  return Math.max(1, Math.min(maxGets, Math.floor(maxTextsBytes / (2 * maxTextBytes))))
}

/**
 * Gets at most `groupSize` messages from a mail API. If one message makes the request fail,
 * requests the messages one by one, and with less content. Leaves out missing messages.
 *
 * @throws MailApiError if the failure concerns the whole mailbox
 */
export async function getMessages(
  source: MessageSource,
  ids: readonly string[],
  options: GetOptions,
): Promise<GotMessages> {
  const { api, signal } = source
  if (ids.length === 0) return { messages: [], refused: new Set() }
  try {
    return { messages: await api.getMessages(ids, options, signal), refused: new Set() }
  } catch (error) {
    signal.throwIfAborted()
    await expectObjectFailure(error, () => getOther(source, { ids, options, error }))
    return getEach(source, ids, options)
  }
}

async function getEach(
  source: MessageSource,
  ids: readonly string[],
  options: GetOptions,
): Promise<GotMessages> {
  const messages: ApiMessage[] = []
  const refused = new Set<string>()
  for (const id of ids) {
    const got = await getReduced(source, { id, options })
    if (got === 'refused') refused.add(id)
    else messages.push(...got)
  }
  return { messages, refused }
}

/** Maximum other messages that are requested to check whether the provider returns any. */
const maxProbes = 3

/**
 * Gets another message of the mailbox with the same options, to find out whether the failure of a
 * request concerns the requested messages only.
 *
 * @throws MailApiError if the provider returns no message
 */
async function getOther(
  { api, listKnown, signal }: MessageSource,
  { ids, options, error }: { ids: readonly string[]; options: GetOptions; error: unknown },
): Promise<void> {
  const others = (await listKnown()).filter((id) => !ids.includes(id)).slice(-maxProbes)
  if (others.length === 0 && isMailApiError(error, 'unavailable')) {
    await api.profile(signal)
    return
  }
  let failure = error
  for (const id of others) {
    try {
      await api.getMessages([id], options, signal)
      return
    } catch (other) {
      if (!isUnclear(other)) throw other
      failure = other
    }
  }
  throw failure
}

/**
 * Gets one message, without contents that the provider refuses. Empty if the message is missing.
 */
async function getReduced(
  { api, onRefusal, signal }: MessageSource,
  { id, options }: { id: string; options: GetOptions },
): Promise<ApiMessage[] | 'refused'> {
  const { attachments: _attachments, ...withTexts } = options
  const { maxTextBytes: _maxTextBytes, ...brief } = withTexts
  const steps: [GetOptions, Refusal['part']][] = [
    [options, 'attachment-list'],
    [withTexts, 'texts'],
    [brief, 'message'],
  ]
  let refusal: Refusal | undefined
  for (const [step, part] of steps) {
    try {
      const messages = await api.getMessages([id], step, signal)
      if (refusal && messages.length > 0) onRefusal?.(refusal)
      return messages
    } catch (err) {
      signal.throwIfAborted()
      if (isMailboxFailure(err)) throw err
      refusal = { id, part, err }
    }
  }
  if (refusal) onRefusal?.(refusal)
  return 'refused'
}

import { type ApiSentMessage, isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import { type Db, isSendOnly, type ProviderDraft } from '@posthorn/db'
import { backoff, retryUntil } from '@posthorn/flow'
import type { Submission } from '../../store/submission.ts'
import {
  assertAttemptsLeft,
  assertSendable,
  cancelled,
  outcomeOf,
  PreAttemptError,
  SendError,
  type SendOptions,
  type SendOutcome,
  type Transport,
} from '../transport.ts'
import { connectMailApi, type MailApiConnection, type MailApiDeps } from './connect-mail-api.ts'
import {
  contentOf,
  type DepositContext,
  depositOptions,
  findDraft,
  isUnchanged,
  prepareDraft,
} from './deposit-draft.ts'
import { mayHaveEffect, toCountedUnknown, toSendError, withUnknown } from './mail-api-failures.ts'

export interface MailApiTransportDeps extends MailApiDeps {
  db: Db
  leaseMs: number
  /** Maximum wait until the mail provider shows a sent message, in milliseconds. */
  findSentMs: number
}

/**
 * Maximum time in milliseconds of each of three calls of a mail API: sending a draft, checking the
 * draft, and sending without a draft. Long, because the client waits for rate limits, and because
 * the outcome of a cancelled call is unknown.
 */
const handoverMs = 300_000
const findSentDelayMs = backoff({ baseMs: 500, maxMs: 16_000 })

/**
 * Sends submissions through the mail API of an account: deposits a draft, commits the draft's id,
 * writes the intent record (`data_sent_at`), releases the draft. After a crash the draft decides.
 * While the draft exists, the message was not sent. Once the draft is missing, the message was sent
 * if a release may have been started. Otherwise the owner deleted the draft, and another draft is
 * deposited. A grant that only permits sending has no drafts. There the intent record is the only
 * trace, and the message is sent again.
 */
export class MailApiTransport implements Transport {
  readonly #deps: MailApiTransportDeps

  constructor(deps: MailApiTransportDeps) {
    this.#deps = deps
  }

  async send(submission: Submission, options: SendOptions): Promise<SendOutcome> {
    const { account, queueId, sender, envelope } = submission
    const { signal, log } = options
    let connection: MailApiConnection | undefined
    try {
      const target = { account, backend: sender.backend, queueId }
      connection = await connectMailApi(this.#deps, target, signal)
      const context = { ...this.#deps, ...options, api: connection.api, submission }
      const sent = await (isSendOnly(sender) ? sendDirectly(context) : sendDraft(context))
      if (isAuthorReplaced(sent, envelope)) log.warn('provider replaced the author')
      const { omittedHeaders } = sent
      if (omittedHeaders) log.info({ omittedHeaders }, 'provider cannot keep header fields')
      const id = sent.id === undefined ? '' : ` as ${sent.id}`
      return {
        kind: 'accepted',
        response: `Accepted by ${connection.apiName}${id}`,
        ...defined({ serverMessageId: sent.messageIdHeader, omittedHeaders }),
        accepted: envelope.to,
        rejected: [],
      }
    } catch (error) {
      // The client of the mail API rejects with the reason of the aborted signal, which means that
      // the sending attempt was cancelled.
      if (signal.aborted && error === signal.reason) return outcomeOf(cancelled(signal))
      const isUnknown = error instanceof SendError && error.outcome.kind === 'unknown'
      return outcomeOf(toSendError(isUnknown ? error : (connection?.loginError ?? error)))
    }
  }
}

/**
 * True if none of the authors that the provider reports is the sender that the submission
 * requested.
 */
export function isAuthorReplaced(
  { from }: Pick<ApiSentMessage, 'from'>,
  envelope: Pick<Submission['envelope'], 'from'>,
): boolean {
  const requested = addressKey(envelope.from)
  return from !== undefined && from.every((address) => addressKey(address) !== requested)
}

type SendContext = DepositContext &
  Pick<SendOptions, 'commitIntent' | 'onAccepted'> &
  Pick<MailApiTransportDeps, 'findSentMs'>

async function sendDirectly(context: SendContext): Promise<ApiSentMessage> {
  const { api, submission, signal, log } = context
  assertAttemptsLeft(submission, submission.maybeSent)
  assertSendable(submission)
  if (submission.maybeSent) log.warn('resending after unknown outcome')
  await context.commitIntent()
  signal.throwIfAborted()
  try {
    const timeout = AbortSignal.timeout(handoverMs)
    return await api.sendMessage(contentOf(context), depositOptions(submission), timeout)
  } catch (error) {
    throw mayHaveEffect(error) ? toCountedUnknown(error) : error
  }
}

async function sendDraft(context: SendContext): Promise<ApiSentMessage> {
  const { submission } = context
  let draft = submission.providerDraft
  let released: ApiSentMessage | undefined
  const current = draft ? await findDraft(context, draft) : undefined
  if (draft && !current && submission.maybeSent)
    context.log.info('draft was sent by an earlier attempt')
  else {
    assertAttemptsLeft(submission, false)
    assertSendable(submission)
    if (!draft || !current || isOutdated(submission, current)) {
      if (draft) context.log.warn('draft changed or missing before its release')
      draft = await prepareDraft(context)
    }
    released = await releaseDraft(context, draft)
  }
  context.onAccepted()
  const isFound = released?.messageIdHeader !== undefined
  const sent = isFound ? released : await findSent(context, draft, released)
  return { ...sent, ...defined({ omittedHeaders: draft.omittedHeaders }) }
}

/**
 * True if the owner of the mailbox changed a stored draft before the draft's first release. The
 * copy in the submission is then sent instead of the draft.
 */
function isOutdated(
  { providerDraft, storedDraft, maybeSent }: Submission,
  current: ProviderDraft,
): boolean {
  return (
    !maybeSent &&
    providerDraft?.stored === true &&
    storedDraft !== null &&
    !isUnchanged(current, storedDraft)
  )
}

/**
 * Releases a draft, which makes the mail provider send the draft. Returns undefined if the response
 * to the release was lost and the draft no longer exists. Any other error without a clear refusal
 * has an unknown outcome: the provider may still be sending, so that a draft that exists now may be
 * missing later. If the check of the draft gets no response either, the attempt is not counted.
 */
async function releaseDraft(
  context: SendContext,
  draft: ProviderDraft,
): Promise<ApiSentMessage | undefined> {
  const { api, signal, log, submission } = context
  await context.commitIntent()
  signal.throwIfAborted()
  try {
    return await api.releaseDraft(draft.id, AbortSignal.timeout(handoverMs))
  } catch (error) {
    // A draft that is missing at its first release was deleted by its owner. The error is thrown,
    // and the next attempt creates another draft.
    const isGone = submission.maybeSent && isMailApiError(error, 'message-missing')
    if (!isGone && !mayHaveEffect(error)) throw error
    log.warn({ err: error }, 'release without a response, checking draft')
    if (isGone || !(await checkDraft(api, draft))) return undefined
    throw withUnknown(toSendError(error))
  }
}

/**
 * Checks whether a draft still exists at the mail provider. Has its own time limit, because the
 * release of the draft may have used up its time.
 */
async function checkDraft(api: MailApi, draft: ProviderDraft): Promise<boolean> {
  const signal = AbortSignal.timeout(handoverMs)
  try {
    return (await findDraft({ api, signal }, draft)) !== undefined
  } catch (cause) {
    throw withUnknown(new PreAttemptError('draft not checked after its release', { cause }))
  }
}

/**
 * Searches the mail provider for the sent message until the message is visible. Needed because
 * providers replace the Message-ID.
 */
async function findSent(
  { api, submission, signal, findSentMs, log }: SendContext,
  draft: ProviderDraft,
  released: ApiSentMessage = {},
): Promise<ApiSentMessage> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(findSentMs)])
  const { messageId, storedDraft } = submission
  const own = draft.stored ? storedDraft?.messageIdHeader : messageId
  const query = { ...draft, ...defined({ messageIdHeader: own }) }
  const lookUp = async () => {
    const sent = await api.findSent(query, deadline)
    if (!sent) throw new Error('sent message not visible')
    return sent
  }
  try {
    return await retryUntil(lookUp, { delayMs: findSentDelayMs, signal: deadline })
  } catch (err) {
    // If the sending attempt is cancelled while it searches for the sent message, its outcome is
    // unknown. The next attempt finds that the draft is missing.
    if (signal.aborted) throw withUnknown(cancelled(signal))
    log.warn({ err }, 'sent message not found, event without its ids')
    return { ...defined({ messageIdHeader: draft.stored ? own : undefined }), ...released }
  }
}

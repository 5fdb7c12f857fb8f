import { type ApiSentMessage, isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import { addressKey } from '@posthorn/contracts/address-key'
import { defined } from '@posthorn/contracts/defined'
import { type Db, isSendOnly, type ProviderDraft } from '@posthorn/db'
import { backoff, retryUntil } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { type Handover, leaseOf, type Submission } from '../store/submission.ts'
import { HandoverIntent } from '../transports/handover.ts'
import {
  AttemptError,
  cancelled,
  PreAttemptError,
  type SendResult,
} from '../transports/transport.ts'
import { connectMailApi, type MailApiConnection, type MailApiDeps } from './connect-mail-api.ts'
import { contentOf, depositOptions, findDraft, isUnchanged, prepareDraft } from './deposit-draft.ts'
import { isInDoubt, toDoubtfulError, toStageError } from './mail-api-failures.ts'

export interface ApiSendDeps extends MailApiDeps {
  db: Db
  /** Commits the intent record of a row. Resolves to false if the lease of the row was lost. */
  writeIntent: (handover: Handover) => Promise<boolean>
  log: Logger
  leaseMs: number
  /** Maximum wait until the provider shows a sent message. */
  findSentMs: number
  /**
   * Throws AttemptError for a message that must not be sent. Not called for a message that was
   * sent.
   */
  assertSendable: (submission: Submission) => void
}

export interface ApiSendOptions {
  /** Cancels the attempt until the release of the draft, and the wait for the sent message. */
  signal: AbortSignal
  /** Called when the provider has accepted the message. */
  onAccepted: () => void
}

/**
 * Maximum time of a release, of the check of its draft, and of sending without a draft. Long,
 * because the client waits for rate limits, and because the outcome of a cancelled release is
 * unknown.
 */
const handoverMs = 300_000
const findSentDelayMs = backoff({ baseMs: 500, maxMs: 16_000 })

/**
 * Sends a submission through the mail API of its account: deposits a draft, commits its id, writes
 * the intent record, releases the draft.
 *
 * After a crash the draft decides. While the draft exists, the message was not sent. Once the draft
 * is missing, the message was sent if a release may have been started. Otherwise the owner deleted
 * the draft, and another draft is deposited.
 *
 * A grant that only permits sending has no drafts. There the intent record is the only trace, and
 * the message is sent again.
 *
 * @throws AttemptError, PreAttemptError or RecordError
 */
export async function sendByApi(
  deps: ApiSendDeps,
  submission: Submission,
  { signal, onAccepted }: ApiSendOptions,
): Promise<SendResult> {
  const { account, queueId, sender, envelope } = submission
  const { backend } = sender
  let connection: MailApiConnection | undefined
  try {
    connection = await connectMailApi(deps, { account, backend, queueId }, signal)
    const context = { ...deps, api: connection.api, submission, signal }
    const sent = isSendOnly(sender)
      ? await sendDirectly(context)
      : await sendDraft(context, onAccepted)
    if (isAuthorReplaced(sent, envelope)) deps.log.warn('provider replaced the author')
    const id = sent.id === undefined ? '' : ` as ${sent.id}`
    return {
      response: `Accepted by ${connection.apiName}${id}`,
      ...defined({ serverMessageId: sent.messageIdHeader }),
      accepted: envelope.to,
      rejected: [],
    }
  } catch (error) {
    // Calls of the client reject with the reason of the signal.
    if (signal.aborted && error === signal.reason) throw cancelled(signal)
    throw toStageError(isDoubtful(error) ? error : (connection?.loginError ?? error))
  }
}

function isDoubtful(error: unknown): boolean {
  return (error instanceof AttemptError || error instanceof PreAttemptError) && error.inDoubt
}

/** Marks a stage error: the message may have been sent, so that the intent record stays. */
function inDoubt(error: unknown): unknown {
  if (error instanceof AttemptError || error instanceof PreAttemptError) error.inDoubt = true
  return error
}

/** True if none of the reported authors is the sender that the account requested. */
export function isAuthorReplaced(
  { from }: Pick<ApiSentMessage, 'from'>,
  envelope: Pick<Submission['envelope'], 'from'>,
): boolean {
  const requested = addressKey(envelope.from)
  return from !== undefined && from.every((address) => addressKey(address) !== requested)
}

interface SendContext extends ApiSendDeps {
  api: MailApi
  submission: Submission
  signal: AbortSignal
}

async function sendDirectly(context: SendContext): Promise<ApiSentMessage> {
  const { api, submission, signal, log } = context
  context.assertSendable(submission)
  if (submission.maybeSent) log.warn('resending after ambiguous handover')
  await commitIntent(context)
  signal.throwIfAborted()
  try {
    const timeout = AbortSignal.timeout(handoverMs)
    return await api.sendMessage(contentOf(submission), depositOptions(submission), timeout)
  } catch (error) {
    throw isInDoubt(error) ? toDoubtfulError(error) : error
  }
}

async function sendDraft(context: SendContext, onAccepted: () => void): Promise<ApiSentMessage> {
  const { submission } = context
  let draft = submission.providerDraft
  let released: ApiSentMessage | undefined
  const current = draft ? await findDraft(context, draft) : undefined
  if (draft && !current && submission.maybeSent)
    context.log.info('draft was sent by an earlier attempt')
  else {
    assertUnsent(context)
    if (!draft || !current || isOutdated(submission, current)) {
      if (draft) context.log.warn('draft changed or missing before its release')
      draft = await prepareDraft(context)
    }
    released = await releaseDraft(context, draft)
  }
  onAccepted()
  return released?.messageIdHeader === undefined ? findSent(context, draft, released) : released
}

/**
 * True if the owner changed a stored draft before the first release: the submission's copy is sent
 * instead.
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
 * Asserts that the message was not sent. An attempt beyond the last regular attempt only finds out
 * whether the message was sent.
 */
function assertUnsent({ submission, assertSendable }: SendContext): void {
  const { attempt, maxAttempts } = submission
  if (attempt > maxAttempts)
    throw new AttemptError({
      message: 'The last attempt was interrupted before the handover',
      code: 'EINTERRUPTED',
    })
  assertSendable(submission)
}

/**
 * Releases a draft. Undefined if the response to the release was lost and the draft no longer
 * exists. Once the request was sent without a clear refusal, all errors are in doubt. The provider
 * may still be at work, so a draft that exists now may be missing later.
 *
 * @throws PreAttemptError if neither the release nor the check of the draft gave a response
 */
async function releaseDraft(
  context: SendContext,
  draft: ProviderDraft,
): Promise<ApiSentMessage | undefined> {
  const { api, signal, log, submission } = context
  await commitIntent(context)
  signal.throwIfAborted()
  try {
    return await api.releaseDraft(draft.id, AbortSignal.timeout(handoverMs))
  } catch (error) {
    // A draft missing at the first release was deleted: the next attempt deposits another draft.
    const isGone = submission.maybeSent && isMailApiError(error, 'message-missing')
    if (!isGone && !isInDoubt(error)) throw error
    log.warn({ err: error }, 'release without a response, checking draft')
    if (isGone || !(await checkDraft(api, draft))) return undefined
    throw inDoubt(toStageError(error))
  }
}

/** Checks whether a draft still exists. A timeout of the release must not prevent the check. */
async function checkDraft(api: MailApi, draft: ProviderDraft): Promise<boolean> {
  const signal = AbortSignal.timeout(handoverMs)
  try {
    return (await findDraft({ api, signal }, draft)) !== undefined
  } catch (cause) {
    throw inDoubt(new PreAttemptError('draft not checked after its release', { cause }))
  }
}

/** Searches for the sent message until it is visible, because providers replace the Message-ID. */
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
    // The next attempt finds that the draft is missing.
    if (signal.aborted) throw inDoubt(cancelled(signal))
    log.warn({ err }, 'sent message not found, event without its ids')
    return { ...defined({ messageIdHeader: draft.stored ? own : undefined }), ...released }
  }
}

async function commitIntent({ submission, writeIntent, leaseMs }: SendContext): Promise<void> {
  const write = () => writeIntent({ ...leaseOf(submission), recipients: null })
  await new HandoverIntent(write, leaseMs).commit([])
}

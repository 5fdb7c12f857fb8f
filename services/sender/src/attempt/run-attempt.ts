import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import { type Db, sendsByApi, type SettingsCache } from '@posthorn/db'
import { retryUntil } from '@posthorn/flow'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import { releaseClaim } from '../store/outbox.ts'
import { pauseAccount } from '../store/sending-locks.ts'
import { type Handover, leaseOf, type Submission } from '../store/submission.ts'
import { HandoverIntent } from '../transports/handover.ts'
import {
  AttemptError,
  type AttemptFailure,
  PausedError,
  PreAttemptError,
  RecordError,
  type ReplyClass,
  type SendResult,
  type Transport,
} from '../transports/transport.ts'
import type { AcceptanceJournal } from './acceptance-journal.ts'
import type { MailApis } from './connect-mail-api.ts'
import {
  classifyReply,
  decideAccepted,
  decideFailure,
  decideFound,
  type OutcomeDecision,
} from './decide-outcome.ts'
import { resolveDestination } from './destination.ts'
import { interrupted, type OutcomeRecorder } from './outcome-recorder.ts'
import { sendByApi } from './send-by-api.ts'
import { findSentCopy, isFiledByServer } from './sent-copy.ts'

export interface AttemptDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  unsealLogin: UnsealLogin
  settings: SettingsCache
  transport: Transport
  mailApis: MailApis
  recorder: OutcomeRecorder
  /** Commits the intent record of a row. Resolves to false if the lease of the row was lost. */
  writeIntent: (handover: Handover) => Promise<boolean>
  journal: Pick<AcceptanceJournal, 'add' | 'remove'>
  log: Logger
  timing: AttemptTiming
}

export interface AttemptTiming {
  /** Duration of a lease. Renewed after every quarter of `leaseMs`, and with the intent record. */
  leaseMs: number
  /** Delay after the first failed attempt. Doubles with each further failed attempt. */
  retryBaseMs: number
  /** Timeout of a credentials request to auth-bridge, including its upstream calls. */
  credentialsMs: number
  /** Maximum time an unavailable mailbox delays a message that may have been sent. */
  findSentMs: number
}

/** Result of an attempt for the lanes and metrics. `final`: no further attempt follows. */
export type AttemptResult =
  | { kind: 'sent'; final: boolean }
  | {
      kind: 'failed'
      failure: AttemptFailure
      suspends: ReplyClass['suspends']
      final: boolean
      /** The provider pauses the account for this time. */
      pauseMs?: number
    }
  /** `pauseMs`: the provider pauses the account for this time. */
  | { kind: 'released'; pauseMs?: number }
  | { kind: 'lost' }

export interface AttemptOptions {
  /** Cancels the attempt, unless the handover has begun. */
  signal: AbortSignal
  /** Called when the server has accepted the message, before the acceptance is recorded. */
  onAccepted: () => void
}

/** Decision to record, and the result to return after the recording. */
interface Attempted {
  /** Submission to record, without the request of a Sent copy if a Sent copy exists. */
  submission: Submission
  decision: OutcomeDecision
  result: AttemptResult
  /** True if the acceptance is in the journal. */
  isJournalled?: true
}

/** Replaces the server's reply, which was lost. */
const sentCopyResponse =
  'Found in the Sent folder of the account: the reply to the previous attempt was lost'

/** Delay until a released submission is due again. */
const releaseDelayMs = 5_000

/**
 * Runs one attempt of a claimed submission and records the outcome. Never rejects.
 *
 * The claim is already committed. If the process dies before the handover, the lease expires and
 * the message is sent again. If the process dies during the handover, the intent record stays. The
 * next attempt then searches for the message in the Sent mailbox, or sends the same bytes again.
 */
export async function runAttempt(
  deps: AttemptDeps,
  submission: Submission,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const { queueId, account, attempt } = submission
  const log = deps.log.child({ queueId, account, attempt })
  const context = { ...deps, log }
  try {
    const attempted = await trySend(context, submission, options).catch((error: unknown) =>
      toFailed(context, submission, stageErrorOf(error, options.signal)),
    )
    const { result } = attempted
    // The account is paused before the row is released, so that no sender starts another message.
    if (result.kind === 'failed') await pause(context, submission, result)
    await deps.recorder.record(attempted.submission, attempted.decision).finally(() => {
      if (attempted.isJournalled) deps.journal.remove()
    })
    return result
  } catch (err) {
    if (err instanceof PreAttemptError) return release(context, submission, { err, ...options })
    log.warn({ err }, 'outbox lease lost')
    return { kind: 'lost' }
  }
}

/** A lost lease takes precedence over whatever the attempt failed with. */
function stageErrorOf(error: unknown, { reason }: AbortSignal): unknown {
  return reason instanceof RecordError ? reason : error
}

async function trySend(
  deps: AttemptDeps,
  submission: Submission,
  { signal, onAccepted }: AttemptOptions,
): Promise<Attempted> {
  const { log, timing } = deps
  if (sendsByApi(submission.sender, submission.gateway)) {
    const { leaseMs, findSentMs, credentialsMs } = timing
    const context = { ...deps, leaseMs, findSentMs, credentialsMs, assertSendable }
    const result = await sendByApi(context, submission, { signal, onAccepted })
    const decision = decideAccepted(submission, result, timing.retryBaseMs)
    return { submission, decision, result: { kind: 'sent', final: true } }
  }
  if (await hasSentCopy(deps, submission, signal)) {
    const filing = { ...submission.filing, copy: false }
    const decision = decideFound(submission, sentCopyResponse, timing.retryBaseMs)
    const final = decision.outcome.trigger === 'accept'
    return { submission: { ...submission, filing }, decision, result: { kind: 'sent', final } }
  }
  if (submission.attempt > submission.maxAttempts) throw interruptedError(submission)
  if (submission.maybeSent) log.warn('resending after ambiguous handover')
  const accepted = await send(deps, submission, signal)
  onAccepted()
  const decision = decideAccepted(submission, accepted, timing.retryBaseMs)
  const final = decision.outcome.trigger === 'accept'
  return { submission, decision, result: { kind: 'sent', final }, isJournalled: true }
}

/** Turns an AttemptError or an unexpected error into a failure to record. Rethrows other errors. */
function toFailed({ log, timing }: AttemptDeps, submission: Submission, error: unknown): Attempted {
  if (error instanceof PreAttemptError || error instanceof RecordError) throw error
  const failed = error instanceof AttemptError ? error : internalError()
  if (failed !== error) log.error({ err: error }, 'attempt failed unexpectedly')
  const { failure, routing, replyClass, pauseMs } = failed
  const decision = decideFailure(submission, failed, timing.retryBaseMs)
  const final = decision.outcome.trigger === 'reject'
  log.info({ failure, routing, final }, 'attempt failed')
  const suspends = replyClass ? replyClass.suspends : suspendedLane(submission, failure)
  const result = { kind: 'failed' as const, failure, suspends, final, ...defined({ pauseMs }) }
  return { submission, decision, result }
}

/** Error of an attempt beyond the maximum, which only checks whether the message was sent. */
function interruptedError(submission: Submission): AttemptError {
  const error = new AttemptError(interrupted(submission))
  error.replyClass = { permanent: true }
  return error
}

/** The progress of the attempt is unknown. */
function internalError(): AttemptError {
  const error = new AttemptError({ message: 'Internal error', code: 'EINTERNAL' })
  error.inDoubt = true
  return error
}

/**
 * Lane to suspend after a failure. The failure of a proxy that only this submission uses does not
 * concern the lane.
 */
function suspendedLane({ proxy }: Submission, failure: AttemptFailure): ReplyClass['suspends'] {
  return failure.code === 'EPROXY' && proxy ? undefined : classifyReply(failure).suspends
}

/**
 * True if an earlier attempt was accepted. Searches the Sent mailbox only if the server itself
 * files sent mail. A partly sent message is in the Sent mailbox in any case, so a Sent copy proves
 * nothing.
 */
async function hasSentCopy(
  { bus, log, timing: { findSentMs } }: AttemptDeps,
  submission: Submission,
  signal: AbortSignal,
): Promise<boolean> {
  const { maybeSent, partlySent } = submission
  if (!maybeSent || partlySent || !isFiledByServer(submission)) return false
  const hasCopy = await findSentCopy({ bus, log, findSentMs, signal }, submission)
  if (hasCopy) log.warn('ambiguous handover found in the Sent mailbox')
  return hasCopy
}

async function send(
  { bus, unsealLogin, settings: cache, transport, writeIntent, journal, timing }: AttemptDeps,
  submission: Submission,
  signal: AbortSignal,
): Promise<SendResult> {
  const settings = await cache.get().catch((cause: unknown) => {
    throw new PreAttemptError('settings unavailable', { cause })
  })
  assertSendable(submission)
  const { envelope } = submission
  const writeRecord = (accepted: readonly string[]) => {
    const recipients = accepted.length < envelope.to.length ? accepted : null
    return writeIntent({ ...leaseOf(submission), recipients })
  }
  const intent = new HandoverIntent(writeRecord, timing.leaseMs)
  const { credentialsMs } = timing
  const deps = { bus, unsealLogin, settings, signal, credentialsMs }
  const destination = await resolveDestination(submission, deps)
  try {
    return await transport.send({
      ...submission,
      destination,
      signal,
      commitHandover: (accepted) => intent.commit(accepted),
      onReply: (result) => journal.add(submission, result),
    })
  } finally {
    // A pending intent record must not be committed after the outcome.
    await intent.settled()
  }
}

function assertSendable({ mime, leftList }: Submission): void {
  if (mime.length === 0)
    throw new AttemptError({ message: 'The message has no content', code: 'EMESSAGE' })
  if (leftList !== null)
    throw new AttemptError({
      message: `The recipient has left the list "${leftList}"`,
      code: 'ELISTLEFT',
    })
}

/**
 * Pauses the account if its provider requested a pause. Without Postgres, the lane of the account
 * is suspended.
 */
async function pause(
  { db, log }: AttemptDeps,
  { account }: Submission,
  { pauseMs }: { pauseMs?: number },
): Promise<void> {
  if (pauseMs === undefined) return
  await pauseAccount(db, account, pauseMs).catch((err: unknown) =>
    log.warn({ err }, 'account not paused'),
  )
}

/** Releases the claim, with three tries. If all fail, the lease expires and the attempt counts. */
async function release(
  { db, log }: AttemptDeps,
  submission: Submission,
  { err, signal }: { err: PreAttemptError; signal: AbortSignal },
): Promise<AttemptResult> {
  log.info({ err }, 'attempt cancelled, releasing claim')
  const pauseMs = err instanceof PausedError ? err.pauseMs : undefined
  const delayMs = pauseMs ?? (signal.aborted ? 0 : releaseDelayMs)
  const onRetry = (err: unknown) => log.warn({ err }, 'claim not released')
  const work = async () => {
    if (pauseMs !== undefined) await pauseAccount(db, submission.account, pauseMs)
    const maybeSent = submission.maybeSent || err.inDoubt
    await releaseClaim(db, { ...submission, maybeSent }, delayMs)
  }
  try {
    await retryUntil(work, { delayMs: 1_000, maxAttempts: 3, onRetry })
    return { kind: 'released', ...defined({ pauseMs }) }
  } catch (error) {
    onRetry(error)
    return { kind: 'lost' }
  }
}

import { defined } from '@posthorn/contracts/defined'
import { type Db, sendsByApi } from '@posthorn/db'
import { retryUntil } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { releaseClaim } from '../store/outbox.ts'
import { pauseAccount } from '../store/sending-locks.ts'
import { type Handover, leaseOf, type Submission } from '../store/submission.ts'
import type { AttemptFailure, ReplyClass } from '../transports/classify-reply.ts'
import {
  type FailedSend,
  PreAttemptError,
  RecordError,
  type SendOutcome,
  type Transport,
} from '../transports/transport.ts'
import type { AcceptanceJournal } from './acceptance-journal.ts'
import { decideAccepted, decideFailure } from './decide-outcome.ts'
import type { OutcomeRecorder } from './outcome-recorder.ts'

export interface AttemptDeps {
  db: Db
  transports: Record<'smtp' | 'api', Transport>
  recorder: OutcomeRecorder
  /**
   * Commits the intent record (`data_sent_at`) of an outbox row, which precedes the end of the
   * message data. Resolves to false if the lease of the row was lost.
   */
  writeIntent: (handover: Handover) => Promise<boolean>
  journal: Pick<AcceptanceJournal, 'add' | 'remove'>
  log: Logger
  timing: AttemptTiming
}

export interface AttemptTiming {
  /**
   * Duration of the lease on an outbox row. The lease is renewed after every quarter of `leaseMs`,
   * and with the intent record (`data_sent_at`).
   */
  leaseMs: number
  /**
   * Delay after the first failed attempt of a submission. Doubles with each further failed attempt.
   */
  retryBaseMs: number
}

/**
 * Result of a sending attempt, for the metrics and for the lanes (submissions of one account,
 * gateway or host). `final`: no further attempt follows.
 */
export type AttemptResult =
  | { kind: 'sent'; final: boolean }
  | {
      kind: 'failed'
      failure: AttemptFailure
      suspends: ReplyClass['suspends']
      final: boolean
      /** Time for which the mail provider pauses the account. */
      pauseMs?: number
    }
  /**
   * Sending attempt that was not counted. `pauseMs`: time for which the mail provider pauses the
   * account.
   */
  | { kind: 'released'; pauseMs?: number }
  | { kind: 'lost' }

export interface AttemptOptions {
  /**
   * Cancels the sending attempt, unless the end of the message data may already have been sent
   * (handover).
   */
  signal: AbortSignal
  /**
   * Called when the mail server has accepted the message, before the acceptance is recorded in
   * Postgres.
   */
  onAccepted: () => void
}

/** Delay until a submission whose claim was released is due again. */
const releaseDelayMs = 5_000

/**
 * Runs one attempt of a claimed submission and records the outcome. Never rejects. The claim is
 * already committed. If the process dies before the handover (end of the message data), the outbox
 * lease expires and the message is sent again. If the process dies during the handover, the intent
 * record (`data_sent_at`) stays. The transport of the next attempt then finds out whether the
 * message was sent, or sends the same bytes again.
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
    const outcome = await send(context, submission, options)
    return outcome.kind !== 'accepted' && outcome.uncounted
      ? await release(context, submission, { outcome, ...options })
      : await record(context, submission, outcome)
  } catch (err) {
    log.warn({ err }, 'outbox lease lost')
    return { kind: 'lost' }
  } finally {
    deps.journal.remove(submission)
  }
}

/**
 * Sends the message of a submission.
 *
 * @throws RecordError if the outbox lease was lost, even if the attempt also failed for another
 *   reason
 */
async function send(
  { transports, writeIntent, journal, log, timing }: AttemptDeps,
  submission: Submission,
  options: AttemptOptions,
): Promise<SendOutcome> {
  const { sender, gateway, envelope } = submission
  const intent = new HandoverIntent((accepted) => {
    const recipients = accepted.length < envelope.to.length ? accepted : null
    return writeIntent({ ...leaseOf(submission), recipients })
  }, timing.leaseMs)
  const transport = transports[sendsByApi(sender, gateway) ? 'api' : 'smtp']
  const sent = transport.send(submission, {
    ...options,
    commitIntent: (recipients = envelope.to) => intent.commit(recipients),
    onReply: (result) => journal.add(submission, result),
    log,
  })
  const outcome = await sent.catch((err: unknown) => unexpected(err, log))
  // Waits for a pending write of the intent record (`data_sent_at`), which must not be committed
  // after the outcome of the sending attempt.
  await intent.settled()
  const { reason } = options.signal
  if (outcome.kind !== 'accepted' && reason instanceof RecordError) throw reason
  return outcome
}

/**
 * Result of a sending attempt after an unexpected error: unknown, because the progress of the
 * attempt is unknown.
 */
function unexpected(err: unknown, log: Logger): FailedSend {
  if (err instanceof RecordError) throw err
  log.error({ err }, 'attempt failed unexpectedly')
  return { kind: 'unknown', failure: { message: 'Internal error', code: 'EINTERNAL' } }
}

async function record(
  { db, recorder, log, timing }: AttemptDeps,
  submission: Submission,
  outcome: SendOutcome,
): Promise<AttemptResult> {
  if (outcome.kind === 'accepted') {
    const decision = decideAccepted(submission, outcome, timing.retryBaseMs)
    const filing = { ...submission.filing, copy: false }
    await recorder.record(outcome.hasSentCopy ? { ...submission, filing } : submission, decision)
    return { kind: 'sent', final: decision.outcome.trigger === 'accept' }
  }
  const { failure, routing, suspends, pauseMs } = outcome
  const decision = decideFailure(submission, outcome, timing.retryBaseMs)
  const final = decision.outcome.trigger === 'reject'
  log.info({ failure, routing, final }, 'attempt failed')
  // The account is paused before the outbox row is released, so that no sender starts another
  // submission of the account. If Postgres is unavailable, only the suspension of the account's
  // submissions in the memory of this process remains (`suspends`).
  if (pauseMs !== undefined)
    await pauseAccount(db, submission.account, pauseMs).catch((err: unknown) =>
      log.warn({ err }, 'account not paused'),
    )
  await recorder.record(submission, decision)
  return { kind: 'failed', failure, suspends, final, ...defined({ pauseMs }) }
}

/**
 * Releases the claim of a submission, with three tries. If all tries fail, the lease expires and
 * the attempt counts.
 */
async function release(
  { db, log }: AttemptDeps,
  submission: Submission,
  { outcome, signal }: { outcome: FailedSend; signal: AbortSignal },
): Promise<AttemptResult> {
  const { kind, pauseMs, cause: err } = outcome
  log.info({ err }, 'attempt cancelled, releasing claim')
  const delayMs = pauseMs ?? (signal.aborted ? 0 : releaseDelayMs)
  const onRetry = (err: unknown) => log.warn({ err }, 'claim not released')
  const work = async () => {
    if (pauseMs !== undefined) await pauseAccount(db, submission.account, pauseMs)
    const maybeSent = submission.maybeSent || kind === 'unknown'
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

interface PendingIntent {
  done: Promise<void>
  startedAt: number
}

/**
 * Write-ahead log of one handover of a message (end of the message data). The intent record
 * (`data_sent_at`) is committed when only the end of data is missing. After a crash, the record
 * tells whether the server may have accepted the message.
 */
export class HandoverIntent {
  readonly #writeIntent: (recipients: readonly string[]) => Promise<boolean>
  /**
   * Maximum age of an intent record (`data_sent_at`) before the end of data, because the write of
   * the record also renews the outbox lease. An older record is written again.
   */
  readonly #maxAgeMs: number
  #pending: PendingIntent | undefined

  /**
   * `writeIntent` commits the intent record (`data_sent_at`) of an outbox row. Resolves to false if
   * the lease of the row was lost.
   */
  constructor(writeIntent: (recipients: readonly string[]) => Promise<boolean>, leaseMs: number) {
    this.#writeIntent = writeIntent
    this.#maxAgeMs = leaseMs / 10
  }

  /**
   * Writes the intent record (`data_sent_at`), with the recipients that the server has accepted.
   * Resolves when the record is committed: the end of data may then be sent.
   *
   * @throws PreAttemptError if Postgres is unavailable; RecordError if the outbox lease was lost
   */
  async commit(recipients: readonly string[]): Promise<void> {
    this.#pending = this.#start(recipients)
    await this.#pending.done
    // Commits the intent record (`data_sent_at`) again if its first commit was slow or this process
    // was suspended, because another sender may have claimed the outbox row meanwhile.
    if (performance.now() - this.#pending.startedAt < this.#maxAgeMs) return
    this.#pending = this.#start(recipients)
    await this.#pending.done
  }

  /** Resolves when no write of the intent record (`data_sent_at`) is pending. */
  async settled(): Promise<void> {
    await this.#pending?.done.catch(() => undefined)
  }

  #start(recipients: readonly string[]): PendingIntent {
    return { done: this.#write(recipients), startedAt: performance.now() }
  }

  async #write(recipients: readonly string[]): Promise<void> {
    const isWritten = await this.#writeIntent(recipients).catch((cause: unknown) => {
      throw new PreAttemptError('intent record not written', { cause })
    })
    if (!isWritten) throw new RecordError('outbox lease lost')
  }
}

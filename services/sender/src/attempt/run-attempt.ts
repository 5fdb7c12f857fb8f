import { setTimeout as delay } from 'node:timers/promises'
import type { Bus } from '@posthorn/bus'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import { releaseClaim, type Submission } from '../store/outbox.ts'
import type { Transport } from '../transports/transport.ts'
import { classifyReply, type ReplyClass } from './classify-reply.ts'
import { AttemptError, type AttemptFailure, PreAttemptError } from '../transports/transport.ts'
import { type OutcomeDecision, decideAccepted, decideFailure } from './decide-outcome.ts'
import { toFilingInput, isFiledByServer } from './sent-copy.ts'
import { findSentCopy } from './find-sent-copy.ts'
import type { OutcomeRecorder } from './outcome-recorder.ts'
import { type WriteIntent, HandoverIntent } from './handover-intent.ts'
import { resolveDestination } from './destination.ts'

export interface AttemptDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  openLogin: UnsealLogin
  settings: SettingsCache
  transport: Transport
  recorder: OutcomeRecorder
  mark: WriteIntent
  /** How long a claim holds, and a marker keeps it. */
  leaseMs: number
  log: Logger
  retryBaseMs: number
  credentialsMs: number
  /** How long a mailbox that cannot be had keeps a message that may be sent from being sent again. */
  findSentMs: number
}

/** What a delivery says to the lanes. */
export type AttemptResult =
  | { kind: 'sent'; final: boolean }
  | { kind: 'failed'; failure: AttemptFailure; suspends: ReplyClass['suspends']; final: boolean }
  | { kind: 'released' }
  | { kind: 'lost' }

/** In place of the server's answer, which was lost. */
const foundResponse =
  'Found in the Sent folder of the account: the answer to the attempt before was lost'

/** How long a message rests that could not be attempted. */
const releaseMs = 5_000

/**
 * Sends one claimed message and records what became of it. Does not reject. `onTaken` is told when the server has it, which is before
 * that is on record.
 *
 * The claim is committed already. If we die before the final dot, the lease ends and the message is sent again. If we die after it, SMTP
 * cannot say whether it arrived: it is looked for where the server files what it takes, else sent again with the same Message-ID and bytes.
 */
export async function runAttempt(
  deps: AttemptDeps,
  submission: Submission,
  { signal, onTaken }: { signal: AbortSignal; onTaken: () => void },
): Promise<AttemptResult> {
  const log = deps.log.child({
    queueId: submission.queueId,
    account: submission.account,
    attempt: submission.attempt,
  })
  try {
    if (await wasSentBefore({ ...deps, log }, submission, signal))
      return await conclude(deps.recorder, withoutCopy(submission), foundSent(submission, deps))
    if (submission.maybeSent) log.warn('sending again what the server may have taken before')
    const accepted = await attempt(deps, submission, signal)
    onTaken()
    const decision = decideAccepted(submission, accepted, deps.retryBaseMs)
    return await conclude(deps.recorder, submission, {
      decision,
      result: { kind: 'sent', final: decision.outcome.state === 'sent' },
    })
  } catch (error) {
    if (isStale(error) || isStale(signal.reason)) {
      log.warn('another sender took the message over')
      return { kind: 'lost' }
    }
    if (error instanceof PreAttemptError) {
      log.info({ err: error }, 'not attempted')
      return release(deps, submission, signal)
    }
    if (!(error instanceof AttemptError))
      log.error({ err: error }, 'the attempt failed for a reason of our own')
    const told = error instanceof AttemptError ? error : internalError()
    const { failure, routing } = told
    const decision = decideFailure(submission, told, deps.retryBaseMs)
    const final = decision.outcome.state === 'failed'
    log.info({ failure, routing, final }, 'the attempt failed')
    return conclude(deps.recorder, submission, {
      decision,
      result: { kind: 'failed', failure, suspends: suspended(submission, failure), final },
    })
  }
}

/** Nobody knows how far it came. */
function internalError(): AttemptError {
  const error = new AttemptError({ message: 'Internal error', code: 'EINTERNAL' })
  error.inDoubt = true
  return error
}

/** A proxy that one message asked for says nothing about the others. */
function suspended({ proxy }: Submission, failure: AttemptFailure): ReplyClass['suspends'] {
  return failure.code === 'EPROXY' && proxy ? undefined : classifyReply(failure).suspends
}

/** Only where the server itself files what it took does the mailbox know. What some recipients have is there in any case. */
async function wasSentBefore(
  { bus, log, findSentMs }: AttemptDeps,
  submission: Submission,
  signal: AbortSignal,
): Promise<boolean> {
  const { account, messageId, maybeSent, partlySent, filing } = submission
  if (!maybeSent || partlySent || !isFiledByServer(toFilingInput(submission))) return false
  const sought = { account, messageId, sentMailPath: filing?.sentMailPath }
  const found = await findSentCopy({ bus, log, findSentMs, signal }, sought)
  if (found) log.warn('the attempt before had been taken: it is in the Sent folder')
  return found
}

function withoutCopy(submission: Submission): Submission {
  return { ...submission, filing: { ...submission.filing, copy: false } }
}

function foundSent(submission: Submission, { retryBaseMs }: AttemptDeps) {
  const accepted = { response: foundResponse, accepted: submission.envelope.to, rejected: [] }
  const decision = decideAccepted(submission, accepted, retryBaseMs)
  return { decision, result: { kind: 'sent' as const, final: true } }
}

async function attempt(
  { bus, openLogin, settings, transport, mark, leaseMs, credentialsMs }: AttemptDeps,
  submission: Submission,
  signal: AbortSignal,
) {
  const current = await settings.get().catch((cause: unknown) => {
    throw new PreAttemptError('Postgres does not answer', { cause })
  })
  if (submission.mime.length === 0)
    throw new AttemptError({ message: 'The message has no content', code: 'EMESSAGE' })
  if (submission.leftList !== null)
    throw new AttemptError({
      message: `The recipient has left the list "${submission.leftList}"`,
      code: 'ELISTLEFT',
    })
  const marker = new HandoverIntent(mark, submission, leaseMs)
  const asking = { bus, openLogin, settings: current, signal, credentialsMs }
  const target = await resolveDestination(submission, asking)
  try {
    return await transport.send({
      envelope: submission.envelope,
      mime: submission.mime,
      destination: target,
      dsn: submission.dsn ?? undefined,
      signal,
      prepareHandover: () => marker.prepare(),
      commitHandover: () => marker.commit(),
    })
  } finally {
    // What becomes of the attempt is not recorded before the marker, lest that came after it.
    await marker.settled()
  }
}

async function conclude(
  recorder: OutcomeRecorder,
  submission: Submission,
  { decision, result }: { decision: OutcomeDecision; result: AttemptResult },
): Promise<AttemptResult> {
  return (await recorder.record(submission, decision)) ? result : { kind: 'lost' }
}

/** Tried a few times; if it cannot be written, the lease ends by itself and the attempt has counted. */
async function release(
  { db, log }: AttemptDeps,
  submission: Submission,
  signal: AbortSignal,
): Promise<AttemptResult> {
  for (let left = 3; left > 0; left--) {
    try {
      await releaseClaim(db, submission, signal.aborted ? 0 : releaseMs)
      return { kind: 'released' }
    } catch (err) {
      log.warn({ err, queueId: submission.queueId }, 'the claim could not be given back')
      if (left > 1) await delay(1_000)
    }
  }
  return { kind: 'lost' }
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'stale'
}

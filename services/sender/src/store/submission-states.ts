import type { NetworkRouting, OutboxError } from '@posthorn/db'
import { sql } from 'kysely'

/** State of a submission. `leased` is a row in state `queued` with an unexpired lease. */
export type SubmissionState = 'queued' | 'leased' | 'held' | 'sent' | 'failed'

/**
 * Transitions of a submission, by state and trigger. The README lists the commit of each
 * transition.
 *
 * | state  | trigger    | next   | guard                                            |
 * |--------|------------|--------|--------------------------------------------------|
 * | queued | claim      | leased | due, attempts left; unknown outcome: sender ended |
 * | queued | hold       | held   | requested; no unknown outcome                    |
 * | queued | makeDue    | queued | requested; no unknown outcome                    |
 * | queued | reap       | failed | attempts used up, lease expired                  |
 * | held   | hold       | held   | requested                                        |
 * | held   | release    | queued | requested                                        |
 * | held   | makeDue    | queued | requested                                        |
 * | leased | renew      | leased | lease not taken over                             |
 * | leased | handOver   | leased | lease unexpired; precedes the end of data        |
 * | leased | cancel     | queued | the server has no message, or a mail API may     |
 * | leased | expire     | queued | lease not renewed                                |
 * | leased | accept     | sent   | all recipients accepted, or a copy found in Sent |
 * | leased | acceptPart | queued | recipients deferred, attempts left               |
 * | leased | continue   | queued | more recipients than the server takes at a time  |
 * | leased | retry      | queued | temporary failure, attempts left                 |
 * | leased | reject     | failed | permanent failure, or last attempt               |
 */
export const submissionTransitions = {
  queued: { claim: 'leased', hold: 'held', makeDue: 'queued', reap: 'failed' },
  held: { hold: 'held', release: 'queued', makeDue: 'queued' },
  leased: {
    renew: 'leased',
    handOver: 'leased',
    cancel: 'queued',
    expire: 'queued',
    accept: 'sent',
    acceptPart: 'queued',
    continue: 'queued',
    retry: 'queued',
    reject: 'failed',
  },
  sent: {},
  failed: {},
} as const satisfies Record<SubmissionState, Record<string, SubmissionState>>

type Transitions = typeof submissionTransitions

/**
 * Input of the state machine of submissions (messages to send): request of an operator, timer, or
 * result of a sending attempt.
 */
export type SubmissionTrigger = { [S in SubmissionState]: keyof Transitions[S] }[SubmissionState]

/** Next state of a submission (message to send). Throws if the state does not allow the trigger. */
export function transition(state: SubmissionState, trigger: SubmissionTrigger): SubmissionState {
  const nextStates: Partial<Record<SubmissionTrigger, SubmissionState>> =
    submissionTransitions[state]
  const next = nextStates[trigger]
  if (next === undefined) throw new Error(`submission in state ${state} does not allow ${trigger}`)
  return next
}

/** Value of the column `state` after a transition. A lease is not part of the column. */
export function stateAfter(state: SubmissionState, trigger: SubmissionTrigger) {
  const next = transition(state, trigger)
  return next === 'leased' ? 'queued' : next
}

/**
 * Next state of a submission as an SQL literal. Unlike a parameter, a literal is visible in
 * `pg_stat_activity`.
 */
export function stateLiteral(state: SubmissionState, trigger: SubmissionTrigger) {
  return sql.lit(stateAfter(state, trigger))
}

/**
 * Outcome of a sending attempt: an input of the outbox state machine in state `leased`, with the
 * columns that the outcome sets.
 */
export type AttemptOutcome = { routing?: NetworkRouting | undefined } & (
  | AcceptedOutcome
  /**
   * Outcome of a sending attempt: some recipients were accepted, the server deferred the others.
   */
  | {
      trigger: 'acceptPart'
      response: string
      remaining: string[]
      failure: OutboxError
      delayMs: number
    }
  /**
   * Outcome of a sending attempt: the message was accepted for the maximum number of recipients
   * that the mail server takes per transaction. The remaining recipients follow in another
   * transaction.
   */
  | { trigger: 'continue'; response: string; remaining: string[] }
  /**
   * Temporary failure of a sending attempt. `outcomeUnknown`: the server may have accepted the
   * message.
   */
  | { trigger: 'retry'; failure: OutboxError; delayMs: number; outcomeUnknown: boolean }
  | { trigger: 'reject'; failure: OutboxError; outcomeUnknown: boolean }
)

/** Outcome of a sending attempt: the mail server accepted the message for all recipients. */
export interface AcceptedOutcome {
  trigger: 'accept'
  response: string
  /** Message-ID that the mail server assigned to the message. */
  serverMessageId?: string | undefined
  routing?: NetworkRouting | undefined
}

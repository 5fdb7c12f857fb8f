import type { Db, EventRow, PublishEvent, RecordedEvent, SettingsCache } from '@posthorn/db'
import { batchStatements, markPublished, publishEvents } from '@posthorn/db'
import { backoff, retryUntil, TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { reapExhausted } from '../store/maintenance.ts'
import { type AcceptedSubmission, recordAccepted, recordOutcome } from '../store/outcomes.ts'
import type { Submission } from '../store/submission.ts'
import { planFiling } from '../transports/sent-copy.ts'
import { interrupted, RecordError } from '../transports/transport.ts'
import { deliveryErrorEvent, failedEvent, type OutcomeDecision } from './decide-outcome.ts'

export interface OutcomeRecorderDeps {
  db: Db
  settings: SettingsCache
  publish: PublishEvent
  /** Called when mailbox work of a sent message, such as filing its copy, is due. */
  onFiling: () => void
  log: Logger
}

const recordBackoff = backoff({ baseMs: 100, maxMs: 5_000 })
/**
 * Maximum outbox rows that one run of the reaper marks failed, because their attempts are used up.
 */
const reapLimit = 20

/**
 * Recorder of the outcomes of sending attempts: commits outcomes with their events, then publishes
 * the events. Disposal waits for events that are being published.
 */
export class OutcomeRecorder implements AsyncDisposable {
  readonly #deps: OutcomeRecorderDeps
  readonly #publishing = new TaskGroup()
  /**
   * Records the acceptances of messages. Concurrent acceptances share a transaction. The result
   * contains for each acceptance whether its outbox row was still leased.
   */
  readonly #recordAccepted = batchStatements<AcceptedSubmission, boolean>(async (accepted) => {
    const serviceUrl = await this.#serviceUrl()
    const { recorded, events } = await recordAccepted(this.#deps.db, accepted, serviceUrl)
    this.#publish(events)
    if (accepted.some(({ filing }) => filing !== null)) this.#deps.onFiling()
    return accepted.map(({ submission }) => recorded.has(submission.queueId))
  })

  /**
   * Marks events of submissions as published to RabbitMQ. Concurrently published events are marked
   * in one statement.
   */
  readonly #markPublished = batchStatements<readonly EventRow[], void>(async (batches) => {
    await markPublished(this.#deps.db, batches.flat())
    return batches.map(() => undefined)
  })

  constructor(deps: OutcomeRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Records the outcome of a sending attempt. Retries until Postgres commits the outcome, because
   * only this process knows the server's reply.
   *
   * @throws RecordError if the outbox lease was lost; nothing is then recorded
   */
  async record(submission: Submission, decision: OutcomeDecision): Promise<void> {
    const { queueId } = submission
    const { trigger } = decision.outcome
    const isRecorded = await retryUntil(() => this.#write(submission, decision), {
      delayMs: recordBackoff,
      onRetry: (err) =>
        this.#deps.log.error({ err, queueId, trigger }, 'outcome not recorded, will retry'),
    })
    if (!isRecorded) throw new RecordError(`outbox lease lost before ${trigger} was recorded`)
  }

  /**
   * Marks submissions failed whose attempts are used up without an outcome. Returns the number of
   * these submissions.
   */
  async reapExhausted(): Promise<number> {
    const recorded = await reapExhausted(this.#deps.db, {
      limit: reapLimit,
      serviceUrl: await this.#serviceUrl(),
      failure: interrupted,
      events: (submission) => [
        deliveryErrorEvent(submission, interrupted(submission), { nextAttempt: undefined }),
        failedEvent(submission, interrupted(submission)),
      ],
    })
    this.#publish(recorded)
    return recorded.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#publishing.drain()
  }

  /** Writes the outcome of a sending attempt. Resolves to false if the outbox lease was lost. */
  async #write(submission: Submission, { outcome, events }: OutcomeDecision): Promise<boolean> {
    const filing = planFiling(submission)
    if (outcome.trigger === 'accept')
      return this.#recordAccepted({ submission, outcome, filing, events: events(undefined) })
    const serviceUrl = await this.#serviceUrl()
    const change = { outcome, events, serviceUrl, filing }
    const recorded = await recordOutcome(this.#deps.db, submission, change)
    if (recorded) this.#publish(recorded)
    return recorded !== undefined
  }

  #publish(recorded: RecordedEvent[]): void {
    this.#publishing.run(publishEvents(this.#markPublished, this.#deps.publish, recorded))
  }

  async #serviceUrl(): Promise<string | null> {
    return (await this.#deps.settings.get()).serviceUrl ?? null
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Db, PublishEvent, RecordedEvent, SettingsCache } from '@posthorn/db'
import { batchStatements, markPublished, publishEvents } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { toFilingInput, planFiling } from './sent-copy.ts'
import { failExhausted, recordOutcome, recordSent, type Sent } from '../store/outcomes.ts'
import type { Submission } from '../store/outbox.ts'
import type { OutcomeDecision } from './decide-outcome.ts'
import type { AttemptFailure } from '../transports/transport.ts'
import { deliveryErrorEvent, failedEvent } from './sending-events.ts'

export interface OutcomeRecorderDeps {
  db: Db
  settings: SettingsCache
  publish: PublishEvent
  /** Something is to be done in the mailbox of a message that was sent. */
  onFiling: () => void
  log: Logger
}

/** Rows of one look for messages that have used up their attempts. */
const exhaustedBatch = 20

/** Writes outcomes and their events, and publishes the events after the commit. Disposing waits for what is being published. */
export class OutcomeRecorder implements AsyncDisposable {
  readonly #deps: OutcomeRecorderDeps
  readonly #publishing = new Set<Promise<void>>()
  /** Messages that servers took at about the same time are one transaction. */
  readonly #sent = batchStatements<Sent, boolean>(async (sent) => {
    const { held, recorded } = await recordSent(this.#deps.db, sent, await this.#serviceUrl())
    this.#announce(recorded)
    if (sent.some(({ filing }) => filing !== null)) this.#deps.onFiling()
    return sent.map(({ submission }) => held.has(submission.queueId))
  })

  /** What was published at about the same time is marked in one statement. */
  readonly #mark = batchStatements<readonly RecordedEvent[], void>(async (batches) => {
    await markPublished(this.#deps.db, batches.flat())
    return batches.map(() => undefined)
  })

  constructor(deps: OutcomeRecorderDeps) {
    this.#deps = deps
  }

  /**
   * Records an outcome. When Postgres does not answer, tries again until it does or the row is another's: what a server has answered
   * is known to nobody but us. Resolves to whether it was recorded.
   */
  async record(submission: Submission, decision: OutcomeDecision): Promise<boolean> {
    const { log } = this.#deps
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        const ours = await this.#write(submission, decision)
        if (!ours)
          log.warn(
            { queueId: submission.queueId, state: decision.outcome.state },
            'the row is not ours any more: nothing recorded',
          )
        return ours
      } catch (err) {
        log.error(
          { err, queueId: submission.queueId, state: decision.outcome.state },
          'the outcome could not be recorded; trying again',
        )
        await delay(waitMs)
      }
    }
  }

  /** Ends messages whose every attempt ended with the process that made it. */
  async failExhausted(): Promise<number> {
    const recorded = await failExhausted(this.#deps.db, {
      limit: exhaustedBatch,
      serviceUrl: await this.#serviceUrl(),
      failure: interrupted,
      events: (submission) => [
        deliveryErrorEvent(submission, interrupted(submission), { nextAttempt: undefined }),
        failedEvent(submission, interrupted(submission)),
      ],
    })
    this.#announce(recorded)
    return recorded.length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#publishing)
  }

  async #write(submission: Submission, { outcome, events }: OutcomeDecision): Promise<boolean> {
    const filing = planFiling(toFilingInput(submission))
    if (outcome.state === 'sent')
      return this.#sent({ submission, outcome, filing, events: events(undefined) })
    const serviceUrl = await this.#serviceUrl()
    const change = { outcome, events, serviceUrl, filing }
    const recorded = await recordOutcome(this.#deps.db, submission, change)
    if (recorded) this.#announce(recorded)
    return recorded !== undefined
  }

  #announce(recorded: RecordedEvent[]): void {
    const publishing = publishEvents(this.#mark, this.#deps.publish, recorded).finally(() =>
      this.#publishing.delete(publishing),
    )
    this.#publishing.add(publishing)
  }

  async #serviceUrl(): Promise<string | null> {
    return (await this.#deps.settings.get()).serviceUrl ?? null
  }
}

function interrupted({ maybeSent }: { maybeSent: boolean }): AttemptFailure {
  return {
    message: maybeSent
      ? 'The last attempt was interrupted after the message had been handed over: it may have been delivered'
      : 'The last attempt was interrupted before the message was handed over',
    code: 'EINTERRUPTED',
  }
}

import { type Bus, UnroutedError } from '@posthorn/bus'
import { isSending } from '@posthorn/contracts/commands/outbox'
import type { Db } from '@posthorn/db'
import { TaskGroup } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { isSenderBeating, type KnownSenders, silenceMs } from '../store/senders.ts'

export interface HolderCheckDeps {
  db: Db
  bus: Pick<Bus, 'request' | 'up'>
  /** Id of this sender process. */
  worker: string
  /** Duration in milliseconds for which this sender has reached Postgres without an outage. */
  steadyMs: () => number
  /** Records the journalled acceptances that an ended sender left on this machine. */
  recover: (sender: string) => Promise<void>
  log: Logger
}

interface CheckResult {
  isDead: boolean
  checkedAt: number
  /** Time of the first check whether the sender process to which this result belongs has ended. */
  since: number
}

/** Routing key of the requests to one sender process. */
export function senderKey(sender: string): string {
  return `outbox.${sender}`
}

const requestTimeoutMs = 5_000
/**
 * Period for which the result of a check whether a sender process has ended is used. A check takes
 * two queries.
 */
const freshMs = 2_000
/**
 * Maximum time without a heartbeat of a sender process while RabbitMQ is unavailable. After this
 * time, the process counts as ended.
 */
const maxSilenceMs = 300_000

/**
 * Finds out whether the senders of outbox rows with an unknown outcome have ended. A sender has
 * ended if it has had no heartbeat for 15 s and RabbitMQ has no queue of the sender. During the 15
 * s, this process must have reached Postgres without an outage. Neither an outage of Postgres nor a
 * sender that cannot reach Postgres counts as an end.
 */
export class HolderCheck implements KnownSenders, AsyncDisposable {
  readonly #deps: HolderCheckDeps
  /** Results of the checks whether sender processes have ended, by id of the process. */
  readonly #results = new Map<string, CheckResult>()
  readonly #running = new Set<string>()
  readonly #checks = new TaskGroup()

  constructor(deps: HolderCheckDeps) {
    this.#deps = deps
  }

  get worker(): string {
    return this.#deps.worker
  }

  get dead(): string[] {
    return this.#listFresh(true)
  }

  get silent(): string[] {
    return this.#listFresh(false)
  }

  /**
   * True if a sender process is known to have ended. Otherwise starts a check whether the process
   * has ended, unless a check is running.
   */
  isDead(sender: string): boolean {
    const result = this.#results.get(sender)
    if (result?.isDead) return true
    if (this.#running.has(sender)) return false
    this.#running.add(sender)
    this.#checks.run(this.#check(sender).finally(() => this.#running.delete(sender)))
    return false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#checks.drain()
  }

  #listFresh(isDead: boolean): string[] {
    const oldest = performance.now() - freshMs
    return [...this.#results]
      .filter(([, result]) => result.isDead === isDead && (isDead || result.checkedAt > oldest))
      .map(([sender]) => sender)
  }

  async #check(sender: string): Promise<void> {
    const { recover, log } = this.#deps
    const since = this.#results.get(sender)?.since ?? performance.now()
    try {
      const isDead = await this.#hasEnded(sender, performance.now() - since)
      if (isDead) {
        log.warn({ sender }, 'sender ended with unknown outcomes')
        await recover(sender)
      }
      this.#results.set(sender, { isDead, checkedAt: performance.now(), since })
    } catch (err) {
      log.debug({ err, sender }, 'sender not checked')
    }
  }

  async #hasEnded(sender: string, askedMs: number): Promise<boolean> {
    const { db, bus, steadyMs } = this.#deps
    if (steadyMs() < silenceMs || (await isSenderBeating(db, sender))) return false
    if (!bus.up) return askedMs > maxSilenceMs
    try {
      const options = { key: senderKey(sender), timeoutMs: requestTimeoutMs }
      await bus.request(isSending, {}, options)
      return false
    } catch (error) {
      // A sender counts as ended only if RabbitMQ is available and cannot route the request to this
      // sender. After any other error, the sender may just be slow to respond.
      return error instanceof UnroutedError && bus.up
    }
  }
}

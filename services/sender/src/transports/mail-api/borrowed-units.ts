import type { ProviderAccount, UnitSource } from '@posthorn/backends/provider-limiter'
import type { ProviderLimitTable } from '@posthorn/backends/provider-limits'
import { type LoanMetrics, loanResultOf } from '@posthorn/backends/provider-metrics'
import { reserveOf } from '@posthorn/backends/quota-shares'
import type { Bus } from '@posthorn/bus'
import { lendUnits, loanReplyMs, loanValidMs } from '@posthorn/contracts/commands/quota'
import type { CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import { shardOf } from '@posthorn/contracts/shards'
import {
  type Clock,
  type Loan,
  monotonicClock,
  type QuotaRequest,
  RateLimitedError,
  sleep,
} from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ReserveRequest } from '../../store/sending-reserves.ts'

export interface BorrowedUnitsDeps {
  /**
   * Takes quota units (for requests to a mail API) from the reserve of a mailbox, which all senders
   * share. See `takeReserve`.
   */
  reserve: (request: ReserveRequest) => Promise<number>
  bus: Pick<Bus, 'request'>
  limits: ProviderLimitTable
  loans: LoanMetrics
  log: Pick<Logger, 'debug'>
  clock?: Clock
}

/**
 * Deadline of a request to a sync-worker to borrow quota units of a mail API. Longer than the wait
 * for the reply, so that clocks of the processes may differ.
 */
const deadlineMs = 1_000
/**
 * Maximum wait before the next request to borrow quota units of a mail API, after a sync-worker did
 * not reply.
 */
const askAgainMs = 1_000
/**
 * Maximum time for which a request to a mail API waits for quota units. After a longer wait, the
 * sending attempt ends and is repeated later: a waiting attempt occupies the sender, and a shutdown
 * would interrupt the attempt.
 */
const maxTakeMs = 10_000

/** Reply of a sync-worker to the request to lend quota units for calls of a mail API. */
interface Offer extends Loan {
  /**
   * Time in milliseconds after which quota units of a mail API are probably available. `delayMs`
   * may be shorter.
   */
  retryMs: number
}

/**
 * Quota units of mailboxes for the requests of this sender to mail APIs, borrowed from the
 * sync-worker of the mailbox. If no sync-worker replies, the units are taken from the reserve in
 * Postgres that all senders share.
 */
export class BorrowedUnits implements UnitSource {
  readonly #deps: BorrowedUnitsDeps
  readonly #clock: Clock

  constructor(deps: BorrowedUnitsDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? monotonicClock
  }

  async take(
    mailbox: ProviderAccount,
    { units, maxWaitMs = Infinity, signal }: Pick<QuotaRequest, 'units' | 'maxWaitMs' | 'signal'>,
  ): Promise<void> {
    if (units === 0) return
    const deadline = this.#clock() + Math.min(maxWaitMs, maxTakeMs)
    for (;;) {
      signal?.throwIfAborted()
      let askedAt = this.#clock()
      let offer = await this.#borrow(mailbox, units, signal)
      if (!offer) {
        askedAt = this.#clock()
        offer = await this.#takeReserve(mailbox, units)
      }
      const { isGranted, delayMs, retryMs } = offer
      if (this.#clock() + delayMs > deadline) throw new RateLimitedError(Math.max(1, retryMs))
      if (delayMs > 0) await sleep(delayMs, signal)
      // Quota units that a request to a mail API did not use in time are lost. Later use of the
      // units may exceed the limit of the mail provider.
      if (isGranted && this.#clock() <= askedAt + delayMs + loanValidMs) return
    }
  }

  reportPause(mailbox: ProviderAccount, ms: number): void {
    const pausedUntil = Math.ceil(Date.now() + ms)
    this.#request({ ...idOf(mailbox), units: 0, pausedUntil }).catch((err: unknown) =>
      this.#deps.log.debug({ err, account: mailbox.account }, 'pause of the mailbox not reported'),
    )
  }

  /**
   * Borrows quota units of a mail API from the sync-worker of the mailbox. Undefined if no
   * sync-worker replies.
   */
  async #borrow(
    mailbox: ProviderAccount,
    units: number,
    signal: AbortSignal | undefined,
  ): Promise<Offer | undefined> {
    const { provider } = mailbox
    const { loans, log } = this.#deps
    try {
      const request = { ...idOf(mailbox), units }
      const loan = toLoan(await this.#request(request, signal))
      loans.requested({ provider, units, result: loanResultOf(loan) })
      return { ...loan, retryMs: loan.delayMs }
    } catch (err) {
      signal?.throwIfAborted()
      log.debug({ err, account: mailbox.account }, 'no loan of units, using the reserve')
      loans.requested({ provider, units, result: 'unanswered' })
      return undefined
    }
  }

  async #request(
    request: CommandRequest<typeof lendUnits>,
    signal?: AbortSignal,
  ): Promise<CommandResponse<typeof lendUnits>> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error('no reply in time')), loanReplyMs)
    try {
      return await this.#deps.bus.request(lendUnits, request, {
        key: `shard.${shardOf(request.account)}`,
        timeoutMs: deadlineMs,
        signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Takes quota units of a mail API from the reserve of a mailbox, which all senders share. If
   * Postgres is unavailable, the units count as available after a delay, because senders start no
   * attempts without Postgres.
   */
  async #takeReserve({ provider, account }: ProviderAccount, units: number): Promise<Offer> {
    const { reserve, limits, log } = this.#deps
    const rate = reserveOf(limits[provider])
    const waitMs = await reserve({ account, units, rate }).catch((err: unknown) => {
      log.debug({ err, account }, 'reserve of units not available')
      return askAgainMs
    })
    const delayMs = Math.min(waitMs, askAgainMs)
    return { isGranted: waitMs === 0, delayMs, retryMs: waitMs, pauseMs: 0 }
  }
}

function idOf({ account, provider, application }: ProviderAccount) {
  return { account, provider, application }
}

function toLoan({ granted, delayMs, pausedUntil }: CommandResponse<typeof lendUnits>): Loan {
  const isGranted = granted > 0
  return { isGranted, delayMs, pauseMs: pausedUntil === undefined || isGranted ? 0 : delayMs }
}

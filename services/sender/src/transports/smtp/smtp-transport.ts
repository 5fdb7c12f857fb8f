import type { Bus } from '@posthorn/bus'
import type { SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Submission } from '../../store/submission.ts'
import { assertAttemptsLeft, assertSendable } from '../assert-sendable.ts'
import { findSentCopy, isFiledByServer } from '../sent-copy.ts'
import {
  type FailedSend,
  outcomeOf,
  PreAttemptError,
  type SendOptions,
  type SendOutcome,
  type Transport,
} from '../transport.ts'
import { resolveDestination } from './destination.ts'
import { SessionPool } from './session-pool.ts'
import type { SmtpLimits } from './smtp-session.ts'

export interface SmtpTransportDeps {
  bus: Pick<Bus, 'request'>
  unsealLogin: UnsealLogin
  settings: SettingsCache
  limits: SmtpLimits
  /** Timeout of a credentials request to auth-bridge, including its upstream calls. */
  credentialsMs: number
  /** Maximum time an unavailable mailbox delays a message that may have been sent. */
  findSentMs: number
}

/** Replaces the server's reply, which was lost. */
const sentCopyResponse =
  'Found in the Sent folder of the account: the reply to the previous attempt was lost'

/**
 * Sends by SMTP, to the server of the account or to a gateway.
 *
 * SMTP cannot tell whether a server has a message (RFC 1047). After an unknown outcome, the Sent
 * mailbox is searched if the server files sent mail. Otherwise the same bytes are sent again.
 */
export class SmtpTransport implements Transport, AsyncDisposable {
  readonly #deps: SmtpTransportDeps
  readonly #sessions: SessionPool

  constructor(deps: SmtpTransportDeps) {
    this.#deps = deps
    this.#sessions = new SessionPool(deps.limits)
  }

  async send(submission: Submission, options: SendOptions): Promise<SendOutcome> {
    try {
      if (await this.#hasSentCopy(submission, options)) return foundInSent(submission)
      assertAttemptsLeft(submission, submission.maybeSent)
      if (submission.maybeSent) options.log.warn('resending after unknown outcome')
      return await this.#transmit(submission, options)
    } catch (error) {
      return withoutOwnProxy(submission, outcomeOf(error))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]()
  }

  async #transmit(submission: Submission, options: SendOptions): Promise<SendOutcome> {
    const settings = await this.#deps.settings.get().catch((cause: unknown) => {
      throw new PreAttemptError('settings unavailable', { cause })
    })
    assertSendable(submission)
    const { signal, onAccepted } = options
    const destination = await resolveDestination(submission, { ...this.#deps, settings, signal })
    const result = await this.#sessions.send({ ...submission, ...options, destination })
    onAccepted()
    return { kind: 'accepted', ...result }
  }

  /**
   * True if an earlier attempt was accepted. Searches the Sent mailbox only if the server itself
   * files sent mail. A partly sent message is in the Sent mailbox in any case, so a Sent copy
   * proves nothing.
   */
  async #hasSentCopy(submission: Submission, { log, signal }: SendOptions): Promise<boolean> {
    const { maybeSent, partlySent } = submission
    if (!maybeSent || partlySent || !isFiledByServer(submission)) return false
    const { bus, findSentMs } = this.#deps
    const hasCopy = await findSentCopy({ bus, findSentMs, log, signal }, submission)
    if (hasCopy) log.warn('message with an unknown outcome found in the Sent mailbox')
    return hasCopy
  }
}

/** Acceptance by an earlier attempt, of the recipients that the attempt had handed over. */
function foundInSent({ envelope: { to }, handedOver }: Submission): SendOutcome {
  const accepted = handedOver ? to.filter((address) => handedOver.includes(address)) : to
  const untried = to.filter((address) => !accepted.includes(address))
  const response = sentCopyResponse
  return { kind: 'accepted', response, accepted, rejected: [], untried, hasSentCopy: true }
}

/** The failure of a proxy that only this submission uses does not concern the lane. */
function withoutOwnProxy({ proxy }: Submission, failed: FailedSend): FailedSend {
  if (failed.failure.code !== 'EPROXY' || !proxy) return failed
  const { suspends: _lane, ...outcome } = failed
  return outcome
}

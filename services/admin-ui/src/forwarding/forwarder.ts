import { mayShowMail, readsMail } from '@posthorn/contracts/admin/roles'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { KeyedSemaphore, settleWithin, TaskGroup } from '@posthorn/flow'
import type { Metrics } from '@posthorn/telemetry'
import type { AttemptLog, AuditEntry, RecordedAttempt } from '../audit/audit-log.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import { type CountCall, countCalls, resultOf } from './call-counter.ts'
import { createGatewayClient, type GatewayClient } from './gateway-client.ts'
import { type ForwardedCall, relay } from './relay.ts'
import { prepareBody } from './request-body.ts'
import type { SessionWatch } from './session-watch.ts'

export interface ForwarderOptions {
  gatewayUrl: string
  audit: AttemptLog
  sessions: Pick<SessionWatch, 'watch'>
  metrics: Pick<Metrics, 'counter'>
  /**
   * Maximum time for which api-gateway may send nothing during a response. Defaults to 5 minutes.
   */
  silenceMs?: number
}

/**
 * Maximum concurrent forwarded calls of a session, which a browser with many open pages does not
 * reach.
 */
const maxCallsPerSession = 64
/** Time in milliseconds that a shutdown waits for forwarded calls. The whole shutdown has 10 s. */
const drainMs = 5_000

/**
 * Forwards calls of signed-in people to api-gateway and records changes and reading of mail in the
 * audit log. Disposal ends event streams, waits for other calls and then ends these, too.
 */
export class Forwarder implements AsyncDisposable {
  readonly #gateway: GatewayClient
  readonly #sessions: ForwarderOptions['sessions']
  readonly #audit: AttemptLog
  readonly #count: CountCall
  readonly #slots = new KeyedSemaphore(maxCallsPerSession)
  readonly #running = new TaskGroup()
  readonly #stopStreams = new AbortController()
  readonly #stopCalls = new AbortController()

  constructor({ gatewayUrl, audit, sessions, metrics, silenceMs }: ForwarderOptions) {
    this.#gateway = createGatewayClient(gatewayUrl, silenceMs)
    this.#sessions = sessions
    this.#audit = audit
    this.#count = countCalls(metrics)
  }

  /**
   * Forwards a call of a signed-in person and streams the response to the client.
   *
   * @throws AppError `unavailable` if the audit log or api-gateway is unavailable, `timeout`,
   *   `rate-limited`, `unauthorized` if the session ends
   */
  async forward(call: ForwardedCall): Promise<void> {
    using permit = this.#slots.tryAcquire(call.signedIn.session.id)
    if (!permit) {
      this.#count('limited')
      throw new AppError('rate-limited', 'Too many concurrent calls, retry later')
    }
    const forwarded = this.#forward(call)
    this.#running.run(forwarded)
    await forwarded
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopStreams.abort()
    await settleWithin(this.#running.drain(), drainMs)
    this.#stopCalls.abort()
    await this.#running.drain()
    this.#gateway[Symbol.dispose]()
  }

  async #forward(call: ForwardedCall): Promise<void> {
    const body = await prepareBody(call).catch((error: unknown) => {
      if (!call.response.destroyed) throw error
    })
    // Nothing is forwarded if the client has disconnected before its request was complete.
    if (body === undefined) return
    const attempt = isRecorded(call) ? await this.#record(toEntry(call, body.keys)) : undefined
    const { operation } = call.target
    const isStream = operation.produces === 'text/event-stream'
    const { outcome, error } = await relay(
      { ...call, body: body.body, needsMail: showsMail(call) },
      {
        gateway: this.#gateway,
        sessions: this.#sessions,
        stop: isStream ? this.#stopStreams.signal : this.#stopCalls.signal,
      },
    )
    this.#count(resultOf(outcome))
    await attempt?.finish(outcome)
    if (error !== undefined) throw error
  }

  async #record(entry: AuditEntry): Promise<RecordedAttempt> {
    try {
      return await this.#audit.attempt(entry)
    } catch (error) {
      this.#count('notRecorded')
      throw error
    }
  }
}

/**
 * True for forwarded calls that the audit log records: changes and reading of mail, including
 * refused reading of mail.
 */
function isRecorded(call: ForwardedCall): boolean {
  const { method, id } = call.target.operation
  return method !== 'get' || readsMail(id) || showsMail(call)
}

function toEntry(call: ForwardedCall, keys: readonly string[]): AuditEntry {
  const { signedIn, target, request } = call
  const { account, operation, auditPath: path } = target
  const reason = mayRead(signedIn) ? (signedIn.session.mailReason ?? undefined) : undefined
  return {
    signedIn,
    address: signedIn.address,
    operation: operation.id,
    method: request.method ?? '',
    path,
    keys,
    ...defined({ account, reason }),
  }
}

/**
 * True if the response to a forwarded call may contain mail, because the person's right to read
 * mail is active.
 */
function showsMail({ signedIn, target }: ForwardedCall): boolean {
  return mayRead(signedIn) && mayShowMail(target.operation.id)
}

/** True if the person's right to read mail is active. Sending a stored message needs it, too. */
function mayRead({ person, session: { mailUntil } }: SignedIn): boolean {
  return person.mayReadMail && mailUntil !== null && mailUntil.getTime() > Date.now()
}

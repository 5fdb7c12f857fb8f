import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { HttpMethod, StreamedResponse, StreamRequest } from '@posthorn/net/call'
import { type AuditOutcome, outcomeOfError } from '../audit/audit-log.ts'
import type { SignedIn } from '../identity/signed-in.ts'
import { ErrorCodeReader } from './error-code.ts'
import { copyResponseHeaders, forwardedHeaders } from './forward-headers.ts'
import type { ForwardTarget } from './forward-target.ts'
import type { GatewayClient } from './gateway-client.ts'
import type { ForwardedBody } from './request-body.ts'
import type { SessionWatch } from './session-watch.ts'

/** Request of a signed-in person to admin-ui that is forwarded to api-gateway. */
export interface ForwardedCall {
  signedIn: SignedIn
  target: ForwardTarget
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /**
   * Sends api-gateway's response to the client in another form, and returns the outcome of the call
   * for the audit log. Absent: the response is sent unchanged.
   */
  present?: Present
}

/** Function that sends api-gateway's response to the client of a forwarded call. */
export type Present = (
  answer: StreamedResponse,
  response: ServerResponse,
  signal: AbortSignal,
) => Promise<string>

/** Request to admin-ui whose body is prepared for forwarding to api-gateway. */
export interface PreparedCall extends ForwardedCall {
  body: ForwardedBody['body']
  /** True if api-gateway's response has to end when the person's right to read mail ends. */
  needsMail: boolean
}

export interface RelayDeps {
  gateway: GatewayClient
  sessions: Pick<SessionWatch, 'watch'>
  /** Signal that ends a forwarded call because the admin-ui process stops. */
  stop: AbortSignal
}

/**
 * Outcome of a forwarded call for the audit log. `error` is present if the client still has to get
 * an error response.
 */
export interface RelayResult {
  outcome: AuditOutcome
  error?: unknown
}

/**
 * Sends the call of a signed-in person to api-gateway and streams the response to the client. The
 * call ends with the session, the client's connection or the process. Never rejects.
 */
export async function relay(call: PreparedCall, deps: RelayDeps): Promise<RelayResult> {
  const { signedIn, response, target, needsMail, present = passOn } = call
  const ended = new AbortController()
  const { id: session } = signedIn.session
  const { role } = signedIn.person
  using _watch = deps.sessions.watch({ session, role, needsMail, ended: () => ended.abort() })
  const left = disconnectSignal(response)
  const signal = AbortSignal.any([left, ended.signal, deps.stop])
  let status: number | undefined
  try {
    using answer = await deps.gateway.open(target.operation, toRequest(call, signal))
    status = answer.status
    return { outcome: { status, outcome: await present(answer, response, signal) } }
  } catch (error) {
    const { outcome, error: shown } = toFailure(error, { left, ended: ended.signal, ...deps })
    // A forwarded change is recorded as done when api-gateway has responded with success, even if
    // the client gets only a part of the response.
    const isDone = status !== undefined && status < 400 && target.operation.method !== 'get'
    const result = status === undefined ? outcome : { ...outcome, status }
    return {
      outcome: isDone ? { ...result, outcome: 'done' } : result,
      ...(response.headersSent || response.destroyed ? {} : { error: shown }),
    }
  }
}

function toRequest(call: PreparedCall, signal: AbortSignal): StreamRequest {
  const { request, signedIn, target, body, requestId, present } = call
  const { credential, address } = signedIn
  // A response that this process reads must be complete: a condition of the client, such as
  // `If-None-Match`, would suppress the body of the response.
  const headers = present ? {} : request.headers
  return {
    method: request.method as HttpMethod,
    url: target.path + target.search,
    headers: forwardedHeaders(headers, { credential, address, requestId }),
    signal,
    ...defined({ body }),
  }
}

/**
 * Sends api-gateway's response to the client. Returns the outcome of the call for the audit log.
 */
async function passOn(
  answer: StreamedResponse,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<string> {
  response.statusCode = answer.status
  copyResponseHeaders(answer.headers, response)
  // Sends the response head immediately: the first event of an event stream may follow much later.
  response.flushHeaders()
  const reader = new ErrorCodeReader(answer.status)
  await pipeline(answer.body, reader, response, { signal })
  return reader.outcome
}

/** Returns a signal that aborts if the client disconnects before its response is complete. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.once('close', () => response.writableFinished || controller.abort())
  return controller.signal
}

interface EndSignals extends Pick<RelayDeps, 'stop'> {
  left: AbortSignal
  ended: AbortSignal
}

/**
 * Outcome of a forwarded call that failed or was ended, with the error for a client that still
 * waits for a response.
 */
function toFailure(error: unknown, { left, ended, stop }: EndSignals): Required<RelayResult> {
  const fail = (outcome: string, shown: AppError) => ({ outcome: { outcome }, error: shown })
  if (ended.aborted)
    return fail(
      'SessionEnded',
      new AppError('unauthorized', 'The session has ended, sign in again'),
    )
  if (left.aborted) return fail('ClientDisconnected', stopped())
  if (stop.aborted) return fail('ServiceStopped', stopped())
  return { outcome: outcomeOfError(error), error }
}

function stopped(): AppError {
  return new AppError('unavailable', 'The call was interrupted, retry later')
}

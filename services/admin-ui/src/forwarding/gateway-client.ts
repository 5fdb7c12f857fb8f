import type { Operation } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'
import { HttpError, type StreamedResponse, type StreamRequest } from '@posthorn/net/call'
import { createHttpCaller } from '@posthorn/net/http-caller'

/** Client for api-gateway. Disposal makes calls in flight fail. */
export interface GatewayClient extends Disposable {
  /**
   * Sends a call to api-gateway and resolves with the head of the response.
   *
   * @throws AppError `unavailable` or `timeout` if no response arrives; the error of the body
   */
  open(operation: Operation, request: StreamRequest): Promise<StreamedResponse>
}

/** Maximum duration of a forwarded call, which is the maximum duration of a session. */
const maxCallMs = 12 * 60 * 60_000
/**
 * Maximum time for which api-gateway may send nothing during a response, in addition to the timeout
 * of the request. Event streams send a comment every few seconds.
 */
const defaultSilenceMs = 5 * 60_000
/**
 * Maximum connections to api-gateway, which permits 1,000 per address by default. Event streams
 * have connections of their own, so that they cannot use up those of calls.
 */
const maxSockets = { calls: 256, streams: 512 }

/**
 * Creates the client for api-gateway. No egress policy applies, because the operator chooses the
 * address.
 *
 * @param silenceMs maximum time for which api-gateway sends nothing
 */
export function createGatewayClient(
  gatewayUrl: string,
  silenceMs = defaultSilenceMs,
): GatewayClient {
  const base = gatewayUrl.replace(/\/+$/, '')
  const limits = {
    policy: 'off',
    client: 'node',
    timeoutMs: maxCallMs,
    maxResponseBytes: Number.MAX_SAFE_INTEGER,
  } as const
  const calls = createHttpCaller({ ...limits, maxSockets: maxSockets.calls })
  const streams = createHttpCaller({ ...limits, maxSockets: maxSockets.streams })
  return {
    async open({ produces }, request) {
      const caller = produces === 'text/event-stream' ? streams : calls
      const requestedMs = Number(request.headers?.['x-svc-timeout'] ?? 0)
      const idleTimeoutMs =
        silenceMs + Math.min(maxCallMs, Number.isFinite(requestedMs) ? requestedMs : 0)
      try {
        return await caller.open({
          ...request,
          url: base + request.url,
          idleTimeoutMs,
          bodyTimeoutMs: maxCallMs,
        })
      } catch (error) {
        throw error instanceof HttpError ? unreachable(error) : error
      }
    },
    [Symbol.dispose]() {
      calls[Symbol.dispose]()
      streams[Symbol.dispose]()
    },
  }
}

/**
 * Error for a client whose forwarded call got no response. The cause, which may name hosts, is only
 * logged.
 */
function unreachable(cause: HttpError): AppError {
  if (cause.outcome === 'response-timeout')
    return new AppError('timeout', 'The API did not respond in time', { cause })
  const message = 'The API cannot be reached. Check that api-gateway runs, then retry'
  return new AppError('unavailable', message, { cause })
}

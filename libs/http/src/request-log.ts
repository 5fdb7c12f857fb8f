import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'

/** Pattern of request ids that are accepted from a client in the header X-Request-Id. */
const plainId = /^[\w.:-]{1,128}$/
/** HTTP routes that are not logged, because monitoring requests them all the time. */
const unloggedRoutes = new Set(['/health/live', '/health/ready', '/metrics'])

/**
 * Creates the handler that logs and measures each HTTP request. The pattern of the route is logged
 * instead of the path, because a path contains account ids and may contain tokens. For a 401, the
 * `reason` is logged. The handler also assigns an id to the request and returns the id in a header.
 */
export function requestLog(log: Logger, metrics: Metrics): RequestHandler {
  const seconds = metrics.histogram({
    name: 'http_request_seconds',
    help: 'Time from the head of a request to the end of its response',
    labels: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  })
  // Redaction of log fields is disabled in the request log for speed, because the fields contain no
  // secrets.
  const lines = log.child({}, { redact: [] })
  return (request, response, next) => {
    const started = performance.now()
    const clientId = request.get('x-request-id') ?? ''
    const requestId = plainId.test(clientId) ? clientId : randomUUID()
    response.locals['requestId'] = requestId
    response.setHeader('X-Request-Id', requestId)
    response.once('close', () => {
      const ms = performance.now() - started
      const line = { ...describe(request, response), ms: Math.round(ms), requestId }
      seconds.observe({ method: line.method, route: line.route, status: line.status }, ms / 1000)
      if (!unloggedRoutes.has(line.route)) lines.info(line, 'request')
    })
    next()
  }
}

/**
 * Adds the reason of an error to the log line of the HTTP request. The response does not contain
 * the reason.
 */
export function logReason(response: ServerResponse, error: unknown): void {
  const reason = error instanceof AppError ? error.reason : undefined
  if (reason !== undefined && 'locals' in response) (response as Response).locals['reason'] = reason
}

function describe(request: Request, response: Response) {
  const route: unknown = (request.route as { path?: unknown } | undefined)?.path
  return {
    method: request.method,
    route: typeof route === 'string' ? route : 'unmatched',
    status: response.statusCode,
    // In the request log, `aborted` means that the client disconnected before the response was
    // complete.
    ...(response.writableFinished ? {} : { aborted: true }),
    ...defined({ reason: response.locals['reason'] as string | undefined }),
  }
}

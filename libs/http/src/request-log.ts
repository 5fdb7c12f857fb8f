import { randomUUID } from 'node:crypto'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'

/** An id that came with the request is kept if it is short and plain. */
const plainId = /^[\w.:-]{1,128}$/
/** Asked every few seconds by machines: not worth a line each. */
const quiet = new Set(['/health/live', '/health/ready', '/metrics'])

/**
 * One line and one measurement a request, under the pattern of its route and not its path, which holds account ids and may hold
 * tokens. Gives the request its id, and answers with it.
 */
export function requestLog(log: Logger, metrics: Metrics): RequestHandler {
  const seconds = metrics.histogram({
    name: 'http_request_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labels: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  })
  // The fields are those of `describe` and an id that is plain.
  const lines = log.child({}, { redact: [] })
  return (request, response, next) => {
    const started = performance.now()
    const given = request.get('x-request-id') ?? ''
    const requestId = plainId.test(given) ? given : randomUUID()
    response.locals['requestId'] = requestId
    response.setHeader('X-Request-Id', requestId)
    response.once('close', () => {
      const ms = performance.now() - started
      const line = { ...describe(request, response), ms: Math.round(ms), requestId }
      seconds.observe({ method: line.method, route: line.route, status: line.status }, ms / 1000)
      if (!quiet.has(line.route)) lines.info(line, 'request')
    })
    next()
  }
}

function describe(request: Request, response: Response) {
  const route: unknown = (request.route as { path?: unknown } | undefined)?.path
  return {
    method: request.method,
    route: typeof route === 'string' ? route : 'unmatched',
    status: response.statusCode,
    // The client went away before the answer was out; the status is what it would have been told.
    ...(response.writableFinished ? {} : { aborted: true }),
  }
}

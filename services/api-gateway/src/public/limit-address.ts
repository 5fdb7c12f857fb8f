import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressOf } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import type { Metrics } from '@posthorn/telemetry'
import type { RequestHandler } from 'express'
import type { AddressLimiter } from '../access/rate-limits.ts'

export interface AddressLimitDeps {
  limiter: Pick<AddressLimiter, 'excess'>
  trustedProxies: readonly string[]
  metrics: Metrics
}

/** Creates the handlers that limit the requests of an IP address to public routes. */
export function createAddressLimit(deps: AddressLimitDeps): (route: string) => RequestHandler {
  const { limiter, trustedProxies, metrics } = deps
  const limited = metrics.counter({
    name: 'public_requests_limited_total',
    help: 'Requests of public routes above the limit of their address',
    labels: ['route'],
  })
  return (route) => (request, response, next) => {
    const seconds = limiter.excess(addressOf(request, trustedProxies))
    if (seconds === undefined) return next()
    limited.inc({ route })
    throw tooMany(request, response, seconds)
  }
}

/**
 * Error for a request above the rate limit of its IP address. The unread body of the request is
 * discarded.
 */
export function tooMany(
  request: Pick<IncomingMessage, 'resume'>,
  response: Pick<ServerResponse, 'setHeader'>,
  seconds: number,
): AppError {
  request.resume()
  response.setHeader('Retry-After', seconds)
  return new AppError('rate-limited', 'Rate limit exceeded', { extras: { ttl: seconds } })
}

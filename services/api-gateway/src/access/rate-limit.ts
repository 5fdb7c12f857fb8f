import type { ServerResponse } from 'node:http'
import type { CountedRequest, TokenWindow } from '@posthorn/access'
import { sqlState } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { foreignKeyViolation } from '../store/database-errors.ts'
import { badToken } from './bearer-token.ts'
import type { Token } from '../store/tokens.ts'

/** Counts one request of a token over all replicas. */
export type CountRequest = (counted: CountedRequest) => Promise<TokenWindow>

/**
 * Counts a request against its token's limit and sets the rate limit headers.
 *
 * @throws AppError `rate-limited`
 */
export async function limitRate(
  count: CountRequest,
  token: Token,
  response: ServerResponse,
): Promise<void> {
  const limit = token.restrictions?.rateLimit
  if (!limit) return
  const { maxRequests, timeWindow: windowSeconds } = limit
  const counted = { token: token.id, windowSeconds }
  const { requests, resetSeconds } = await count(counted).catch((error: unknown) => {
    // The token was revoked recently and is still cached in this process.
    throw sqlState(error) === foreignKeyViolation ? badToken('unknown token') : error
  })
  reportWindow(response, { maxRequests, requests, resetSeconds })
}

/**
 * Sets the rate limit headers of a counted request. The token's headers replace the address's
 * headers. Interface spec, "Statuses": `X-RateLimit-Remaining` only on allowed requests.
 *
 * @throws AppError `rate-limited` above the limit
 */
export function reportWindow(
  response: Pick<ServerResponse, 'setHeader' | 'removeHeader'>,
  { maxRequests, requests, resetSeconds }: TokenWindow & { maxRequests: number },
): void {
  response.setHeader('X-RateLimit-Limit', maxRequests)
  response.setHeader('X-RateLimit-Reset', resetSeconds)
  if (requests > maxRequests) {
    response.removeHeader('X-RateLimit-Remaining')
    throw new AppError('rate-limited', 'Rate limit exceeded', { extras: { ttl: resetSeconds } })
  }
  response.setHeader('X-RateLimit-Remaining', maxRequests - requests)
}

import type { ServerResponse } from 'node:http'
import { countRequest, type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { foreignKeyViolation, sqlState } from '../store/database-errors.ts'
import { badToken } from './bad-token.ts'
import type { Token } from './token.ts'

/** Counts a request against its token's limit, across all replicas, and says so in the answer's headers. */
export async function limitRate(db: Db, token: Token, response: ServerResponse): Promise<void> {
  const limit = token.restrictions?.rateLimit
  if (!limit) return
  const { requests, resetSeconds } = await countRequest(db, token.id, limit.timeWindow).catch(
    (error: unknown) => {
      // Revoked a moment ago, and still remembered here.
      throw sqlState(error) === foreignKeyViolation ? badToken() : error
    },
  )
  response.setHeader('X-RateLimit-Limit', limit.maxRequests)
  response.setHeader('X-RateLimit-Reset', resetSeconds)
  if (requests > limit.maxRequests)
    throw new AppError('rate-limited', 'Rate limit exceeded', { extras: { ttl: resetSeconds } })
  response.setHeader('X-RateLimit-Remaining', limit.maxRequests - requests)
}

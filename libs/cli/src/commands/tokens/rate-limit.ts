import { UsageError } from '../../exit-codes.ts'

/** Converts the text of an option, such as `100/60`, to the rate limit of an access token. */
export function rateLimit(text: string): { maxRequests: number; timeWindow: number } {
  const [, maxRequests, timeWindow] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(text) ?? []
  if (maxRequests === undefined || timeWindow === undefined)
    throw new UsageError('expected requests per seconds, such as 100/60')
  return { maxRequests: Number(maxRequests), timeWindow: Number(timeWindow) }
}

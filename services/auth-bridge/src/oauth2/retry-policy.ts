import type { GrantTokens, RefreshFailure } from '../store/oauth2-grants.ts'
import { unreachableCode } from './token-failure.ts'

/**
 * Limits of the delay after a failed renewal of an access token, in milliseconds. The delay equals
 * the time since the first of the consecutive failures, so it doubles with each failure. Rejections
 * are rarely temporary, and each account requests a token every 10 min or more often. Outages end
 * without intervention.
 */
const delays = {
  rejected: { min: 5_000, max: 5 * 60_000 },
  unreachable: { min: 1_000, max: 30_000 },
}

/**
 * True if the OAuth2 provider may be called again after a failed token renewal, because both the
 * delay after the failure and the delay that the provider requested are over. Until then callers
 * get the last error.
 */
export function mayRetry({ error, lastedMs, agoMs, waitMs }: RefreshFailure): boolean {
  if (waitMs > 0) return false
  const isUnreachable = error.serverResponseCode === unreachableCode
  const { min, max } = isUnreachable ? delays.unreachable : delays.rejected
  return agoMs >= Math.min(max, Math.max(min, lastedMs))
}

/**
 * Time after the issue of an access token, in milliseconds, during which a rejection by the mail
 * server does not lead to a renewal. The server would also reject the next token, and every client
 * login would cause a renewal.
 */
const settleMs = 5 * 60_000

/**
 * True if the OAuth2 provider issued the access token recently. A rejection by the mail server is
 * then no reason to renew the token.
 */
export function isJustRenewed({ renewedAgoMs }: Pick<GrantTokens, 'renewedAgoMs'>): boolean {
  return renewedAgoMs !== undefined && renewedAgoMs < settleMs
}

import { isMailApiError } from '@posthorn/backends/mail-api'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import { messageOf } from '@posthorn/errors'
import { backoff } from '@posthorn/flow'

/** Code of `connectError`, whatever the provider's code is. */
export const watchErrorCode = 'SubscriptionSetupError'
/** Maximum stored characters of a provider's text. */
const maxTextLength = 1_000
/**
 * Failures that may pass without a change at the provider. Repeated temporary failures count as
 * refusals.
 */
const temporary = ['unavailable', 'rate-limited', 'token-rejected', 'unlicensed'] as const
/** Temporary failures of a missing watch that are reported: about 8 min. */
const maxTemporary = 5
/** 30 s, doubling up to 1 h. */
const retryDelayMs = backoff({ baseMs: 30_000, maxMs: 3_600_000, jitter: 0.1 })

export interface WatchFailure {
  readonly response: string
  readonly retryMs: number
  /**
   * True if the owner has to be informed: the provider refuses, or there was no watch for minutes.
   */
  readonly isReported: boolean
}

/** Consequence of the n-th consecutive failure of a registration. */
export function failureOfWatch(
  error: unknown,
  { provider, failures, isActive }: { provider: Provider; failures: number; isActive: boolean },
): WatchFailure {
  const isTemporary =
    !isMailApiError(error) || temporary.some((failure) => error.failure === failure)
  const requestedMs = isMailApiError(error) ? (error.retryAfterMs ?? 0) : 0
  return {
    response: messageOf(error).slice(0, maxTextLength),
    retryMs: Math.max(retryDelayMs(failures), requestedMs),
    isReported: isTemporary
      ? !isActive && failures >= maxTemporary
      : failures >= apiAccountTypes[provider].notifications.maxRefusals,
  }
}

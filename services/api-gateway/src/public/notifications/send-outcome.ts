import { AppError } from '@posthorn/errors'
import { BodyError } from '@posthorn/http'
import type { Response } from 'express'

/**
 * Result of a notification request from a mail provider. All results but `forwarded` and `ignored`
 * are error responses.
 */
export type NotificationOutcome =
  | 'forwarded'
  | 'ignored'
  | 'malformed'
  | 'rejected'
  | 'limited'
  | 'unavailable'

/** Seconds after which a provider should send the notification again. */
const retryAfterSeconds = '30'

/**
 * Runs the handler of a notification request and responds by its result: 202 for success, 400 for a
 * malformed request, 403 for a request that did not authenticate, 429 above the limit of the
 * sender's address. Any other failure gets 503, so that the provider repeats the request. The error
 * body has the format of the interface spec.
 *
 * @throws AppError for every failure
 */
export async function sendOutcome(
  response: Response,
  count: (outcome: NotificationOutcome) => void,
  work: () => Promise<'forwarded' | 'ignored'>,
): Promise<void> {
  try {
    const outcome = await work()
    count(outcome)
    response.status(202).end()
  } catch (error) {
    // Passes a `BodyError` (error of reading the request body) on, because it has an HTTP status of
    // its own, such as 408 or 413.
    if (error instanceof BodyError) throw error
    const outcome = outcomeOf(error)
    count(outcome)
    if (outcome !== 'unavailable') throw error
    response.setHeader('Retry-After', retryAfterSeconds)
    throw new AppError('unavailable', 'Notifications cannot be accepted now, retry later')
  }
}

const outcomes: Readonly<Record<string, Exclude<NotificationOutcome, 'forwarded' | 'ignored'>>> = {
  invalid: 'malformed',
  forbidden: 'rejected',
  'rate-limited': 'limited',
}

function outcomeOf(error: unknown): Exclude<NotificationOutcome, 'forwarded' | 'ignored'> {
  return (error instanceof AppError ? outcomes[error.kind] : undefined) ?? 'unavailable'
}

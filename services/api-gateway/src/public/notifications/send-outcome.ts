import { AppError } from '@posthorn/errors'
import { BodyError } from '@posthorn/http'
import type { Response } from 'express'

/** Result of a notification request. All but `forwarded` and `ignored` are error responses. */
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
 * Runs a handler and responds by its result: 202 for success, 400 for a malformed request, 403 for
 * one that did not authenticate, 429 above the limit of its address, and 503 for any other failure,
 * so that the provider repeats it.
 */
export async function sendOutcome(
  response: Response,
  count: (outcome: NotificationOutcome) => void,
  work: () => Promise<'forwarded' | 'ignored'>,
): Promise<void> {
  const outcome = await work().catch((error: unknown) => {
    // Has its own status, such as 408 and 413.
    if (error instanceof BodyError) throw error
    if (error instanceof AppError && error.kind === 'rate-limited') {
      count('limited')
      throw error
    }
    return outcomeOf(error)
  })
  count(outcome)
  if (outcome === 'unavailable') response.setHeader('Retry-After', retryAfterSeconds)
  response.status(statuses[outcome]).end()
}

const statuses: Readonly<Record<Exclude<NotificationOutcome, 'limited'>, number>> = {
  forwarded: 202,
  ignored: 202,
  malformed: 400,
  rejected: 403,
  unavailable: 503,
}

function outcomeOf(error: unknown): 'malformed' | 'rejected' | 'unavailable' {
  if (error instanceof AppError && error.kind === 'invalid') return 'malformed'
  return error instanceof AppError && error.kind === 'forbidden' ? 'rejected' : 'unavailable'
}

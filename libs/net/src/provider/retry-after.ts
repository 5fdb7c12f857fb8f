import type { IncomingHttpHeaders } from 'node:http'

/**
 * Date of a retry: IMF-fixdate or RFC 850 date (RFC 9110 §5.6.7), or ISO 8601 with a zone as in
 * texts of Gmail.
 */
const datePattern =
  /^(?:[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT|\d{4}-\d{2}-\d{2}T[\d:.]{5,16}(?:Z|[+-]\d{2}:\d{2}))$/

/** Date of a retry in asctime format (RFC 9110 §5.6.7), which has no zone and means UTC. */
const asctimePattern = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

interface RetryAfterOptions {
  /** Maximum retry delay. Longer delays are cut to this maximum. */
  maxMs: number
  /**
   * Current time, from which a retry date counts; defaults to the `Date` header, because clocks of
   * providers differ.
   */
  now?: number
}

/**
 * Reads the retry delay of the header `Retry-After` (RFC 9110 §10.2.3) in milliseconds: seconds,
 * also with a fraction, or a date. Undefined if the header is absent, unreadable or not in the
 * future; use a backoff then.
 */
export function readRetryAfter(
  headers: Pick<IncomingHttpHeaders, 'retry-after' | 'date'>,
  options: RetryAfterOptions,
): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  // Digits of the retry delay are limited so that the number is exact.
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(value))
    return limitDelay(Number(value) * 1_000, options.maxMs)
  const { maxMs, now = readDate(headers.date ?? '') ?? Date.now() } = options
  return limitDelay((readDate(value) ?? now) - now, maxMs)
}

/**
 * Reads the retry delay that Gmail writes into error texts instead of the header, in milliseconds:
 * "Retry after 2026-09-01T10:15:00.000Z", and on its HTML pages "try again in 30 seconds".
 */
export function readRetryAfterText(
  text: string,
  headers: Pick<IncomingHttpHeaders, 'date'>,
  maxMs: number,
): number | undefined {
  const [, value] =
    /retry after\s{1,4}(\d{4}-[\dT:.+Z-]{10,40})/i.exec(text) ??
    /try again in (\d{1,6}) seconds/i.exec(text) ??
    []
  return readRetryAfter({ ...headers, 'retry-after': value }, { maxMs })
}

function readDate(text: string): number | undefined {
  if (asctimePattern.test(text)) return finite(Date.parse(`${text} GMT`))
  return datePattern.test(text) ? finite(Date.parse(text)) : undefined
}

function finite(time: number): number | undefined {
  return Number.isFinite(time) ? time : undefined
}

function limitDelay(delayMs: number, maxMs: number): number | undefined {
  return delayMs > 0 ? Math.min(delayMs, maxMs) : undefined
}

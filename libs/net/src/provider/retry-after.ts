import type { IncomingHttpHeaders } from 'node:http'

/**
 * Pattern of a date in `Retry-After` with a time zone: IMF-fixdate or RFC 850 date (RFC 9110
 * §5.6.7), or ISO 8601 as in texts of Gmail.
 */
const datePattern =
  /^(?:[A-Z][a-z]+, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT|\d{4}-\d{2}-\d{2}T[\d:.]{5,16}(?:Z|[+-]\d{2}:\d{2}))$/

/**
 * Pattern of a retry date in asctime format (RFC 9110 §5.6.7). The format contains no time zone and
 * means UTC.
 */
const asctimePattern = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

interface RetryAfterOptions {
  /**
   * Maximum retry delay in milliseconds. Longer delays that a provider states are shortened to this
   * maximum.
   */
  maxMs: number
  /**
   * Time from which a retry date is counted. Defaults to the `Date` header of the response, because
   * the clocks of providers may differ.
   */
  now?: number
}

/**
 * Reads the retry delay in milliseconds from the header `Retry-After` (RFC 9110 §10.2.3): a number
 * of seconds, possibly with a fraction, or a date. Undefined if the header is absent or invalid, or
 * if the date is not in the future. The caller should then use a backoff.
 */
export function readRetryAfter(
  headers: Pick<IncomingHttpHeaders, 'retry-after' | 'date'>,
  options: RetryAfterOptions,
): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  // The number of digits in `Retry-After` is limited, so that the number can be represented
  // exactly.
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(value))
    return limitDelay(Number(value) * 1_000, options.maxMs)
  const { maxMs, now = readDate(headers.date ?? '') ?? Date.now() } = options
  return limitDelay((readDate(value) ?? now) - now, maxMs)
}

/**
 * Reads the retry delay in milliseconds from an error text of Gmail, because a response without the
 * header `Retry-After` may contain the delay in its text: "Retry after 2026-09-01T10:15:00.000Z",
 * or "try again in 30 seconds" on HTML pages.
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

/** A target that asks for more than this is asked again after this. */
export const maxRetryAfterMs = 3_600_000

/** What a `Retry-After` asks for (RFC 9110 §10.2.3), within bounds; undefined when there is none that can be read. */
export function parseRetryAfter(
  value: string | undefined,
  now: number = Date.now(),
): number | undefined {
  const text = value?.trim() ?? ''
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}

/** An HTTP-date ends in GMT; whatever else JavaScript takes for a date is not meant. */
function dateOf(text: string): number {
  return /^[A-Za-z]{3,9}, .{1,40} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}

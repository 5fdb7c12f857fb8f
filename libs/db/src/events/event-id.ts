import { createHash } from 'node:crypto'

/**
 * The id of an event, derived from what happened: the same happening gives the same id, whoever finds it and however often.
 *
 * `what` names the event and then everything that tells this occurrence from others, such as
 * `['messageNew', account, path, uidValidity, uid]`. Shape: a UUID of version 8 (RFC 9562 §5.8).
 */
export function deriveEventId(what: readonly (string | number | bigint)[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(what.map(String)))
    .digest()
    .subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

import { createHash } from 'node:crypto'

/**
 * Derives an event id from the values that identify an event, so that repeated detections of the
 * event get the same id. `identity` consists of the name of the event and all values that
 * distinguish this event from other events, such as `['messageNew', account, path, uidValidity,
 * uid]`. Returns a UUID of version 8 (RFC 9562 §5.8).
 */
export function deriveEventId(identity: readonly (string | number | bigint)[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(identity.map(String)))
    .digest()
    .subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

import { TtlCache } from '@posthorn/flow'

/** Maximum time that auth-bridge may take to unseal (decrypt) a login or header value. */
export const unsealTimeoutMs = 5_000

/**
 * Maximum characters in the cache of decrypted values: about 20,000 sealed (encrypted) values of
 * usual length, or 1,000 of maximum length.
 */
const maxCharacters = 16_000_000

/**
 * Cache of decrypted logins and header values by sealed (encrypted) value. Concurrent callers share
 * one request to auth-bridge, failures are not cached. Decrypted values are about as large as
 * sealed values, so only sealed values count towards the size limit of the cache.
 */
export class UnsealCache extends TtlCache<string, string> {
  constructor() {
    super({ maxSize: maxCharacters, sizeOf: (_value, key) => key.length })
  }
}

import { Recent } from './recent.ts'

/** Maximum time auth-bridge may take to unseal a value. */
export const unsealTimeoutMs = 5_000

/** Memory bound: about 20,000 sealed values of usual length, or 1,000 of maximum length. */
const maxCharacters = 16_000_000

/** Cache of unsealed values. Concurrent callers share one request; failures are not cached. */
export class UnsealCache {
  readonly #entries = new Recent<Promise<string>>(maxCharacters)

  get(key: string): Promise<string> | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Promise<string>): Promise<string> {
    this.#entries.set(key, value)
    value.catch(() => this.#entries.delete(key))
    return value
  }
}

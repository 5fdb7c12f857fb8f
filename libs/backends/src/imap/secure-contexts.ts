import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'

/** What connections need of TLS and is the same for all of them: made once for each lowest version, where one of its own takes 50 kB and a millisecond. */
export class SecureContexts {
  readonly #known = new Map<SecureVersion, SecureContext>()

  from(minVersion: SecureVersion): SecureContext {
    const cached = this.#known.get(minVersion)
    if (cached) return cached
    const made = createSecureContext({ minVersion })
    this.#known.set(minVersion, made)
    return made
  }
}

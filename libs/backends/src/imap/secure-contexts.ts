import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'

/**
 * TLS contexts shared by all connections, one per lowest TLS version. A context of its own would
 * cost each connection 50 kB and 1 ms.
 */
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

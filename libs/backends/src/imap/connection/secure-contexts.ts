import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'

/**
 * TLS contexts shared by all IMAP connections, one context per minimum TLS version. A separate
 * context would cost each connection 50 kB of memory and 1 ms.
 */
export class SecureContexts {
  readonly #contexts = new Map<SecureVersion, SecureContext>()

  from(minVersion: SecureVersion): SecureContext {
    const cached = this.#contexts.get(minVersion)
    if (cached) return cached
    const context = createSecureContext({ minVersion })
    this.#contexts.set(minVersion, context)
    return context
  }
}

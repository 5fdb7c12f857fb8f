import { X509Certificate } from 'node:crypto'
import { type Certificate, readCertificate } from '@posthorn/service/certificate'
import type { ProxyConfig } from '../proxy-config.ts'

/** Properties of the certificate of a listener for mail clients, as operators see them. */
export interface CertificateFacts {
  /** Host names and IP addresses for which the certificate of the mail listener is valid. */
  names: string[]
  expiresAt: Date
}

/**
 * Certificate of the listener for mail clients, which may be renewed at run time. Remembers the
 * result of the last read, for the report about the state of the replica.
 */
export class ListenerCertificate {
  readonly #config: Pick<ProxyConfig, 'tlsCert' | 'tlsKey'>
  #revision: string | undefined
  #facts: CertificateFacts | undefined
  #error: Error | undefined

  constructor(config: Pick<ProxyConfig, 'tlsCert' | 'tlsKey'>) {
    this.#config = config
  }

  /**
   * Names and expiry of the certificate of the mail listener that was read last. A failed read does
   * not change this value, because an open listener then keeps its certificate. Undefined without a
   * certificate.
   */
  get facts(): CertificateFacts | undefined {
    return this.#facts
  }

  /**
   * Error of the last read of the mail listener's certificate. Undefined after a successful read.
   */
  get error(): Error | undefined {
    return this.#error
  }

  /**
   * Reads the certificate of the mail listener and its private key. Undefined if no certificate is
   * configured.
   * @throws Error if the certificate or the private key cannot be read, or if they do not match
   */
  async read(): Promise<Certificate | undefined> {
    try {
      const certificate = await readCertificate(this.#config.tlsCert, this.#config.tlsKey)
      this.#error = undefined
      if (certificate?.revision !== this.#revision || !certificate)
        this.#facts = certificate && certificateFacts(certificate.cert)
      this.#revision = certificate?.revision
      return certificate
    } catch (error) {
      this.#error = error as Error
      throw error
    }
  }

  /**
   * Drops the result of the last read of the mail listener's certificate. Called while the settings
   * disable the listener.
   */
  clear(): void {
    this.#revision = this.#facts = this.#error = undefined
  }
}

/**
 * Maximum number of certificate names in a report about a mail listener, which limits the size of
 * the report.
 */
const maxNames = 20

/** Reads names and expiry of the first certificate in a PEM text, which is the server's own. */
export function certificateFacts(pem: string): CertificateFacts {
  const { subject, subjectAltName = '', validTo } = new X509Certificate(pem)
  const alternative = Array.from(
    subjectAltName.matchAll(/(?:DNS|IP Address):(?:"(?<quoted>[^"]*)"|(?<plain>[^,]+))/g),
    ({ groups }) => groups?.['quoted'] ?? groups?.['plain'] ?? '',
  )
  // Most mail clients accept a certificate without alternative names for no host name. The subject
  // of such a certificate shows the operator which certificate is in use.
  const names = alternative.length > 0 ? alternative : [commonName(subject)]
  return { names: names.slice(0, maxNames), expiresAt: new Date(validTo) }
}

function commonName(subject: string): string {
  return /^CN=(?<name>.+)$/m.exec(subject)?.groups?.['name'] ?? subject
}

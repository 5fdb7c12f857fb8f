import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Secret } from '@posthorn/config'
import { createSecureContext, type SecureContext } from 'node:tls'

/** Certificate and private key of a TLS listener. */
export interface Certificate {
  context: SecureContext
  cert: string
  key: string
  /**
   * Fingerprint of the certificate and the private key. A changed fingerprint means that they were
   * renewed.
   */
  revision: string
}

/**
 * Reads the certificate and the private key of a TLS listener, from PEM texts or from PEM files.
 * Files are read at every call, because they may be renewed at run time. Undefined if no
 * certificate is configured.
 */
export async function readCertificate(
  cert: string | undefined,
  key: Secret | undefined,
): Promise<Certificate | undefined> {
  if (cert === undefined || key === undefined) return undefined
  const [certPem, keyPem] = await Promise.all([pem(cert), privateKeyPem(key)])
  return {
    cert: certPem,
    key: keyPem,
    context: createSecureContext({ cert: certPem, key: keyPem, minVersion: 'TLSv1.2' }),
    revision: createHash('sha256').update(certPem).update(keyPem).digest('hex').slice(0, 16),
  }
}

/**
 * Reads the private key from a PEM text or a PEM file.
 *
 * @throws Error without the value, which operators would see in logs and in the state of a mail
 * proxy: a private key that is no PEM text is taken for the path of a file
 */
function privateKeyPem(key: Secret): Promise<string> {
  return pem(key.reveal()).catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    throw new Error(`The private key is neither a PEM text nor a readable file: ${code}`)
  })
}

function pem(value: string): Promise<string> {
  return value.includes('-----BEGIN') ? Promise.resolve(value) : readFile(value, 'utf8')
}

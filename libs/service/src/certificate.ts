import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Secret } from '@posthorn/config'
import { createSecureContext, type SecureContext } from 'node:tls'

export interface Certificate {
  context: SecureContext
  cert: string
  key: string
  /** Changes with the certificate. */
  revision: string
}

/** Reads the listener's certificate, given as PEM or as paths, anew each time: files are renewed while we run. Undefined where none is set. */
export async function readCertificate(
  cert: string | undefined,
  key: Secret | undefined,
): Promise<Certificate | undefined> {
  if (cert === undefined || key === undefined) return undefined
  const [certPem, keyPem] = await Promise.all([pem(cert), pem(key.reveal())])
  return {
    cert: certPem,
    key: keyPem,
    context: createSecureContext({ cert: certPem, key: keyPem, minVersion: 'TLSv1.2' }),
    revision: createHash('sha256').update(certPem).update(keyPem).digest('hex').slice(0, 16),
  }
}

function pem(value: string): Promise<string> {
  return value.includes('-----BEGIN') ? Promise.resolve(value) : readFile(value, 'utf8')
}

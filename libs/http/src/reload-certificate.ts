import type { Server } from 'node:https'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

/** Certificate of a TLS server with its chain, and private key, both as PEM. */
export interface KeyPair {
  cert: string
  key: string
}

export interface TlsOptions {
  /**
   * Reads the current certificate of the server. Called repeatedly, because files are renewed at
   * run time.
   */
  readCertificate: () => Promise<KeyPair>
  /** Time between two reads of the certificate; defaults to 10 s. */
  everyMs?: number
}

/**
 * Reloads the certificate of an HTTPS server periodically, for new connections. A certificate that
 * cannot be read or does not match its key, for example while files are being replaced, is tried
 * again.
 */
export function reloadCertificate(
  server: Server,
  initial: KeyPair,
  { readCertificate, everyMs = 10_000, log }: TlsOptions & { log: Logger },
): AsyncDisposable {
  let current = initial
  return runPeriodically({ everyMs, log, name: 'certificate' }, async () => {
    try {
      const latest = await readCertificate()
      if (latest.cert === current.cert && latest.key === current.key) return
      // Node would accept an empty certificate and key, and serve without a certificate.
      if (latest.cert === '' || latest.key === '') throw new Error('certificate or key is empty')
      server.setSecureContext({ ...latest, minVersion })
      current = latest
      log.info('certificate reloaded')
    } catch (err) {
      log.warn({ err }, 'certificate reload failed, keeping the old one')
    }
  })
}

/** Minimum TLS version of all HTTP listeners. */
export const minVersion = 'TLSv1.2'

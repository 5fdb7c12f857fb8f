import type { Server } from 'node:https'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

/**
 * Certificate of a TLS server with its certificate chain, and the private key. Both are PEM texts.
 */
export interface KeyPair {
  cert: string
  key: string
}

export interface TlsOptions {
  /**
   * Function that reads the current certificate of the TLS server. The function is called
   * repeatedly, because certificate files are renewed while the server runs.
   */
  readCertificate: () => Promise<KeyPair>
  /** Time between two reads of the TLS certificate files. Defaults to 10 s. */
  everyMs?: number
}

/**
 * Reloads the certificate of an HTTPS server periodically. New connections use the latest
 * certificate. If reading fails, or the certificate does not match its key because the files are
 * being replaced, the reload is tried again later.
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
      // An empty certificate or key of the HTTPS server is rejected. Node would accept both and
      // serve connections without a certificate.
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

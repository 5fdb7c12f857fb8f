import type { Server } from 'node:https'
import type { Logger } from '@posthorn/telemetry'

/** A certificate with its chain, and its key, as PEM. */
export interface KeyPair {
  cert: string
  key: string
}

export interface TlsOptions {
  /** Reads what is to be shown now; called again and again, for files are renewed while we run. */
  readCertificate: () => Promise<KeyPair>
  /** Between looks; default 10 s. */
  everyMs?: number
}

const usualMs = 10_000

/**
 * Has a server show a renewed certificate from the next connection on. One that cannot be read, or does not fit its key since only half
 * of it is there yet, changes nothing, and is looked at again.
 */
export function reloadCertificate(
  server: Server,
  shown: KeyPair,
  { readCertificate, everyMs = usualMs, log }: TlsOptions & { log: Logger },
): Disposable {
  let current = shown
  let looking = false
  const look = async () => {
    if (looking) return
    looking = true
    try {
      const found = await readCertificate()
      if (found.cert === current.cert && found.key === current.key) return
      server.setSecureContext({ ...found, minVersion })
      current = found
      log.info('a renewed certificate is shown from now on')
    } catch (err) {
      log.warn({ err }, 'the certificate cannot be renewed; the one shown so far stays')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

export const minVersion = 'TLSv1.2'

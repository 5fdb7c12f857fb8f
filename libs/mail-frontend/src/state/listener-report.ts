import type { MailProxyReport } from '@posthorn/db'
import type { ListenerAddress, ListenerState } from '../reloadable-listener.ts'
import type { CertificateFacts } from './listener-certificate.ts'

/**
 * State of the listener for mail clients and of its certificate, as a replica of a mail proxy
 * reports them.
 */
export type ListenerReport = Pick<
  MailProxyReport,
  'listener' | 'port' | 'tls' | 'tlsPort' | 'error' | 'certificateNames' | 'certificateExpiresAt'
>

export interface ListenerSources {
  /** State of the listener for mail clients; undefined until the settings were read. */
  state: ListenerState<ListenerAddress> | undefined
  /** Certificate of the mail listener that was read last, and the error of a failed read. */
  certificate: {
    readonly facts?: CertificateFacts | undefined
    readonly error?: Error | undefined
  }
  tlsPort: number | undefined
}

/** Maximum length of the error of a mail listener in the report of a replica. */
const maxErrorLength = 500

/**
 * Report about the listener for mail clients. Undefined until the process knows whether the
 * settings enable the listener.
 */
export function listenerReport({
  state,
  certificate: { facts, error: certificateError },
  tlsPort,
}: ListenerSources): ListenerReport | undefined {
  const closed = { port: null, tls: null, tlsPort: null, ...certificateColumns(facts) }
  if (state?.name === 'listening') {
    const { port, tls } = state.address
    return { ...closed, listener: 'listening', port, tls, tlsPort: tlsPort ?? null, error: null }
  }
  // An enabled mail listener does not start while its certificate cannot be read.
  const failure = certificateError ?? (state?.name === 'failed' ? state.error : undefined)
  if (failure)
    return { ...closed, listener: 'failed', error: failure.message.slice(0, maxErrorLength) }
  return state && { ...closed, listener: 'off', error: null }
}

function certificateColumns(facts: CertificateFacts | undefined) {
  return {
    certificateNames: facts?.names ?? null,
    certificateExpiresAt: facts?.expiresAt ?? null,
  }
}

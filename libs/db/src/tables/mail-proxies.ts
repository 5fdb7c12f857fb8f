import type { Generated } from 'kysely'

/**
 * State of the running replicas of imap-proxy and smtp-proxy. Written by these services: each
 * replica writes its own row, and removes the rows of replicas that have stopped reporting.
 */
export interface MailProxies {
  /** Id of the replica of imap-proxy or smtp-proxy. Each start of a replica generates a new id. */
  id: string
  service: 'imap-proxy' | 'smtp-proxy'
  hostName: string
  /**
   * State of the mail proxy's listener for mail clients. `off`: the settings disable the listener.
   */
  listener: 'off' | 'listening' | 'failed'
  /** Port and TLS mode of the mail proxy's open listener. Null while the listener is closed. */
  port: number | null
  tls: boolean | null
  /**
   * Port of the mail proxy's second listener, with TLS from the start. Null without such a
   * listener.
   */
  tlsPort: number | null
  /**
   * Reason for which the mail proxy's listener does not listen. Null unless `listener` is `failed`.
   */
  error: string | null
  /**
   * Names for which the certificate of the mail proxy's listener is valid. Null without a
   * certificate.
   */
  certificateNames: string[] | null
  certificateExpiresAt: Date | null
  /** Number of sessions of mail clients that have logged in at the replica of the mail proxy. */
  sessions: number
  reportedAt: Generated<Date>
}

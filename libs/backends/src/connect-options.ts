import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import type { Logger } from '@posthorn/telemetry'
import type { MessageFaults } from './message-faults.ts'

export interface ConnectOptions {
  host: string
  port: number
  /** True for implicit TLS of the mail connection; otherwise STARTTLS. */
  secure: boolean
  /** True if the mail session may stay unencrypted without STARTTLS; defaults to false. */
  allowsPlaintext?: boolean
  /** If false, any certificate of the mail server is accepted; defaults to true. */
  rejectUnauthorized?: boolean
  credentials: Credentials
  log: Logger
  /** Aborts connecting to the mail server. An established session is closed by disposing of it. */
  signal?: AbortSignal
  /**
   * Policy for the addresses of the mail server; defaults to `off`. A blocked host is `forbidden`
   * `EEGRESSBLOCKED`.
   */
  egress?: EgressPolicy
  /**
   * Permitted ports of mail servers and proxies; defaults to any. Other ports are `forbidden`
   * `EEGRESSBLOCKED`.
   */
  mailPorts?: MailPorts
  /** Timeout of connecting and logging in to the mail server together; defaults to 30 s. */
  connectTimeoutMs?: number
  /** URL of the proxy: `http:`, `https:`, `socks:`, `socks4:`, `socks4a:` or `socks5:`. */
  proxy?: string
  /**
   * Source addresses of the mail connection in order. Uses the first local address of the server's
   * family, or the system's choice.
   */
  localAddresses?: readonly string[]
  /**
   * Client identification for the IMAP command ID (RFC 2971), merged over the default
   * identification.
   */
  clientInfo?: ClientInfo
  /** Lowest accepted TLS version of the mail connection, such as `TLSv1.2`. */
  minTlsVersion?: string
  /**
   * True to use IMAP4rev1 although the server offers IMAP4rev2. For servers with a broken
   * IMAP4rev2.
   */
  disableIMAP4rev2?: boolean
  /**
   * Called with every line of the mail protocol, without credentials and without bytes of messages.
   */
  transcript?: (line: TranscriptLine) => void
  /**
   * Messages that the mail server cannot describe, shared by the connections of an account.
   * Defaults to a record per connection.
   */
  faults?: MessageFaults
}

/** Client identification of an IMAP client with the fields of RFC 2971 §3.3. */
interface ClientInfo {
  name?: string
  version?: string
  vendor?: string
  'support-url'?: string
}

/** One line of a mail session, formatted for operators. */
export interface TranscriptLine {
  at: Date
  from: 'client' | 'server' | 'us'
  /** Text of the protocol line, at most 2,000 characters. Literals are replaced by their size. */
  text: string
  /**
   * True for protocol lines from the accepted login on. Lines before it may name hosts and
   * services.
   */
  afterLogin?: boolean
}

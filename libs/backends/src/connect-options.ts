import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import type { Logger } from '@posthorn/telemetry'
import type { MessageFaults } from './message-faults.ts'

export interface ConnectOptions {
  host: string
  port: number
  /** True if the mail connection uses TLS from the start (implicit TLS), false for STARTTLS. */
  secure: boolean
  /** True if the mail session may stay unencrypted without STARTTLS; defaults to false. */
  allowsPlaintext?: boolean
  /** If false, any certificate of the mail server is accepted; defaults to true. */
  rejectUnauthorized?: boolean
  credentials: Credentials
  log: Logger
  /**
   * Signal that aborts connecting to the mail server. An established session is closed by disposing
   * of the session.
   */
  signal?: AbortSignal
  /**
   * Policy for the addresses of the mail server; defaults to `off`. Connecting to a blocked host
   * fails as `forbidden` with the code `EEGRESSBLOCKED`.
   */
  egress?: EgressPolicy
  /**
   * Permitted ports of mail servers and proxies; defaults to any port. Connecting to another port
   * fails as `forbidden` with the code `EEGRESSBLOCKED`.
   */
  mailPorts?: MailPorts
  /** Timeout of connecting and logging in to the mail server together; defaults to 30 s. */
  connectTimeoutMs?: number
  /**
   * URL of the proxy through which the mail server is reached: `http:`, `https:`, `socks:`,
   * `socks4:`, `socks4a:` or `socks5:`.
   */
  proxy?: string
  /**
   * Local source addresses for the mail connection, in order of preference. The connection uses the
   * first address of the server's address family (IPv4 or IPv6). Without such an address, the
   * operating system chooses.
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
   * Record of the messages that the mail server cannot describe, because it rejects the request or
   * drops the connection. Shared by all connections of an account. Default: each connection has its
   * own record.
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

/** Line of the protocol between a mail client and a mail server (IMAP), formatted for operators. */
export interface TranscriptLine {
  at: Date
  from: 'client' | 'server' | 'us'
  /** Text of the protocol line, at most 2,000 characters. Literals are replaced by their size. */
  text: string
  /**
   * True for lines of the mail protocol after the accepted login. Earlier lines may name hosts and
   * services, which tenants must not see.
   */
  afterLogin?: boolean
}

import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import type { Logger } from '@posthorn/telemetry'
import type { MessageFaults } from './message-faults.ts'

export interface ConnectOptions {
  host: string
  port: number
  /** True for implicit TLS; otherwise STARTTLS. */
  secure: boolean
  /** True if the session may stay unencrypted without STARTTLS; defaults to false. */
  allowsPlaintext?: boolean
  /** If false, any certificate is accepted; defaults to true. */
  rejectUnauthorized?: boolean
  credentials: Credentials
  log: Logger
  /** Aborts connecting. An established session is closed by disposing of it. */
  signal?: AbortSignal
  /**
   * Policy for the addresses of the server; defaults to `off`. A blocked host is `forbidden`
   * `EEGRESSBLOCKED`.
   */
  egress?: EgressPolicy
  /** Ports of servers and proxies; defaults to any. Others are `forbidden` `EEGRESSBLOCKED`. */
  mailPorts?: MailPorts
  /** Timeout of connecting and logging in together; defaults to 30 s. */
  connectTimeoutMs?: number
  /** Proxy URL: `http:`, `https:`, `socks:`, `socks4:`, `socks4a:` or `socks5:`. */
  proxy?: string
  /**
   * Source addresses in order. Uses the first local address of the server's family, or the system's
   * choice.
   */
  localAddresses?: readonly string[]
  /** Client identification for ID (RFC 2971), merged over the default identification. */
  clientInfo?: ClientInfo
  /** Lowest accepted TLS version, such as `TLSv1.2`. */
  minTlsVersion?: string
  /** Uses IMAP4rev1 although the server offers IMAP4rev2. For servers with a broken IMAP4rev2. */
  disableIMAP4rev2?: boolean
  /** Called with every line of the protocol, without credentials and without bytes of messages. */
  transcript?: (line: TranscriptLine) => void
  /**
   * Faulty messages, shared by the connections of an account. Defaults to a record per connection.
   */
  faults?: MessageFaults
}

/** Client identification with the fields of RFC 2971 §3.3. */
interface ClientInfo {
  name?: string
  version?: string
  vendor?: string
  'support-url'?: string
}

/** One line of a session, formatted for operators. */
export interface TranscriptLine {
  at: Date
  from: 'client' | 'server' | 'us'
  /** Text of the line, at most 2,000 characters. Literals are replaced by their size. */
  text: string
  /** True from the accepted login on. Lines before it may name hosts and services. */
  afterLogin?: boolean
}

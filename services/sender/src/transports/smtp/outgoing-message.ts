import type { SecureVersion } from 'node:tls'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { Submission } from '../../store/submission.ts'
import { AttemptError, type SendOptions } from '../transport.ts'

/** Outgoing server of a message, and the network path to the server. */
export interface Destination {
  /**
   * Identifies all properties that a session depends on. Messages with equal keys share sessions.
   */
  key: string
  host: string
  port: number
  /** Implicit TLS (RFC 8314); otherwise STARTTLS. */
  secure: boolean
  /** True if the session may stay unencrypted without STARTTLS. */
  allowsPlaintext: boolean
  /** If false, any certificate is accepted. */
  verifyCertificate: boolean
  minTlsVersion?: SecureVersion
  /**
   * True if a tenant has chosen the server. The duration of a failed connection must then not
   * reveal whether the port is open.
   */
  isTenantsServer?: boolean
  /** Argument of EHLO. Defaults to the host name of the outgoing address. */
  ehloName?: string
  /** Proxy URL with the login in plaintext. Absent for a direct connection. */
  proxy?: string
  /** Local addresses to connect from, preferred first. If empty, the system chooses. */
  localAddresses: readonly string[]
  /** Local address the submission asked for, whether available or not. */
  requestedLocalAddress?: string
  /**
   * Login for a new session; undefined if the server needs no login. `rejected` are credentials the
   * server has just rejected: the callee then obtains new credentials.
   */
  credentials: (rejected?: Credentials) => Promise<Credentials | undefined>
}

/** Message of one SMTP transaction. */
export type OutgoingMessage = Pick<Submission, 'envelope' | 'mime' | 'dsn'> &
  Pick<SendOptions, 'signal' | 'commitIntent' | 'onReply'> & { destination: Destination }

/** Failure of a step that the server did not reply to in time. */
export function timeoutError(command: string, cause: unknown): AttemptError {
  return new AttemptError(
    { message: `No reply to ${command} in time`, code: 'ETIMEDOUT', command },
    { cause },
  )
}

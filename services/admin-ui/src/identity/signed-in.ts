import type { IncomingMessage } from 'node:http'
import type { AdminRole } from '@posthorn/contracts/admin/roles'

/** Person who has signed in to the administration pages. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: AdminRole
  /** True if the person may activate the right to read mail. */
  readonly mayReadMail: boolean
}

/** Signed-in person and the session of a request, as the session cookie identifies them. */
export interface SignedIn {
  readonly person: Person
  readonly session: {
    readonly id: string
    readonly createdAt: Date
    readonly expiresAt: Date
    /** Time at which the person of the session last signed in or repeated a factor. */
    readonly factorAt: Date
    /** Time at which the session's right to read mail ends. Null: the right is not active. */
    readonly mailUntil: Date | null
    readonly mailReason: string | null
  }
  /**
   * Credential `sess_…` that authenticates forwarded calls of the session at api-gateway. Never
   * sent to a browser.
   */
  readonly credential: string
  /** Network address of the signed-in person's client. */
  readonly address: string
}

/**
 * Finds the signed-in person of a request by its session cookie.
 *
 * @throws AppError `unauthorized` without a valid session
 */
export type Authenticate = (request: IncomingMessage) => Promise<SignedIn>

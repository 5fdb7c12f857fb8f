import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** People who may sign in to the administration pages. Written by admin-ui. */
export interface AdminPeople {
  id: string
  /** Email address of a person at the administration pages, in lower case. */
  email: string
  name: string
  role: AdminRole
  /** True if the person may activate the right to read mail. */
  mayReadMail: Generated<boolean>
  disabled: Generated<boolean>
  /**
   * Hash of a person's password (argon2id) with its parameters, as a PHC string. Null: no password.
   */
  password: string | null
  passwordChangedAt: Date | null
  /**
   * Sealed seed of a person's one-time codes, which only auth-bridge reads. Null: no one-time
   * codes.
   */
  sealed: string | null
  totpConfirmed: Generated<boolean>
  /** Last time step for which a person has used a one-time code. */
  totpStep: Generated<string>
  /** SHA-256 hashes (hex) of a person's unused recovery codes. */
  recoveryCodes: Generated<string[]>
  oidcSubject: string | null
  createdAt: Generated<Date>
  createdBy: string | null
  signedInAt: Date | null
}

/**
 * Set-up and recovery links of owners, and invitations, by the SHA-256 hash (hex) of the token in
 * the link. Written by admin-ui.
 */
export interface AdminLinks {
  hash: string
  id: string
  kind: 'setUp' | 'recovery' | 'invitation'
  email: string | null
  role: AdminRole
  mayReadMail: Generated<boolean>
  createdAt: Generated<Date>
  createdBy: string | null
  expiresAt: Date
  usedAt: Date | null
}

/**
 * Sessions of people at the administration pages, by the SHA-256 hash (hex) of their cookie.
 * Written by admin-ui.
 */
export interface AdminSessions {
  hash: string
  id: string
  person: string
  /** Salt with which a session's credential for api-gateway is derived from the session cookie. */
  salt: string
  credentialHash: string
  address: string
  browser: string
  createdAt: Generated<Date>
  seenAt: Generated<Date>
  expiresAt: Date
  /** Time of the last sign-in or repeated factor in a session at the administration pages. */
  factorAt: Generated<Date>
  /** End of the session's right to read mail. Null: the right is not active. */
  mailUntil: Date | null
  mailReason: string | null
}

/** Passkeys (WebAuthn credentials) of people at the administration pages. Written by admin-ui. */
export interface AdminPasskeys {
  id: string
  person: string
  publicKey: Buffer
  counter: string
  transports: Generated<string[]>
  name: string
  createdAt: Generated<Date>
  usedAt: Date | null
}

/**
 * Unfinished sign-ins to the administration pages, by the SHA-256 hash (hex) of the ticket that the
 * browser holds. Written by admin-ui.
 */
export interface AdminChallenges {
  hash: string
  kind: string
  person: string | null
  content: Json<Record<string, unknown>>
  attempts: Generated<number>
  expiresAt: Date
}

/**
 * Failed attempts to sign in to the administration pages, by person or network address and time.
 * Written by admin-ui.
 */
export interface AdminAttempts {
  subject: string
  windowStart: Date
  attempts: number
}

/**
 * Audit log of the actions of people at the administration pages. Rows are never changed. Written
 * by admin-ui.
 */
export interface AdminAudit {
  id: string
  at: Generated<Date>
  /**
   * Id that joins two rows of the audit log: the row before a change, and the row with its outcome.
   */
  request: string
  phase: 'attempt' | 'outcome'
  person: string | null
  email: string | null
  role: string | null
  session: string | null
  address: string
  operation: string
  method: string
  path: string
  account: string | null
  /**
   * Names of the members of a request body that a recorded action has changed, without their
   * values.
   */
  keys: Generated<string[]>
  reason: string | null
  status: number | null
  outcome: string | null
}

import type { AdminRole } from '@posthorn/contracts/admin/roles'

/** Person as the lists and the session show the person. */
export interface PersonSummary {
  id: string
  email: string
  name: string
  role: AdminRole
  mayReadMail: boolean
}

/** Factors with which the signed-in person can sign in. */
export interface Factors {
  password: boolean
  totp: boolean
  passkeys: number
  recoveryCodes: number
  oidc: boolean
}

/** Signed-in person with the session of this browser. */
export interface Session {
  person: PersonSummary
  session: { id: string; createdAt: string; expiresAt: string; factorAt: string }
  factors: Factors
  mailReading: { until?: string; reason?: string }
}

/** Ways to sign in that the installation offers. `setUp`: the first owner is missing. */
export interface SignInOptions {
  setUp: boolean
  passwords: boolean
  oidc?: { name: string }
}

/** Result of a sign-in: the session, or a ticket with which a second factor completes it. */
export type SignInResult = Session | { secondFactor: { ticket: string } }

/** Entry of the list of sessions. */
export interface SessionEntry {
  id: string
  createdAt: string
  seenAt: string
  expiresAt: string
  address: string
  /** Browser and operating system, such as `Firefox 140, Linux`. */
  browser: string
  /** True for the session of this browser. */
  current: boolean
}

/** Session of any person. */
export interface PersonSession extends SessionEntry {
  person: { id: string; email: string; name: string }
}

/** Entry of the list of people. */
export interface PersonEntry extends PersonSummary {
  /** True if the person cannot sign in. */
  disabled: boolean
  factors: Factors
  createdAt: string
  signedInAt?: string
}

/** Changes of a person. Absent members stay unchanged. */
export interface PersonUpdate {
  name?: string
  role?: AdminRole
  mayReadMail?: boolean
  disabled?: boolean
}

/** Invitation that has not been used. */
export interface InvitationEntry {
  id: string
  email: string
  role: AdminRole
  mayReadMail: boolean
  createdAt: string
  expiresAt: string
}

/** Invitation as the invited person sees the invitation. */
export interface InvitationDetails {
  email: string
  role: AdminRole
  /** Present in a link for a person who already exists. */
  name?: string
  expiresAt: string
}

/** Link for a person, which is shown once. */
export interface NewLink {
  id: string
  link: string
  expiresAt: string
}

/** Passkey of the signed-in person. */
export interface PasskeyEntry {
  id: string
  name: string
  createdAt: string
  usedAt?: string | null
}

/** Action of a person, as recorded in the audit log. */
export interface AuditLogEntry {
  id: string
  at: string
  person?: string
  email?: string
  role?: string
  address: string
  operation: string
  method: string
  path: string
  account?: string
  /** Names of the changed members, without their values. */
  keys: string[]
  reason?: string
  /** `done` or an error code. Absent: the outcome is unknown. */
  outcome?: string
  status?: number
}

/** Page of the audit log, newest entries first. */
export interface AuditPage {
  entries: AuditLogEntry[]
  nextCursor?: string
}

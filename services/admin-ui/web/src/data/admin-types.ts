export type { AuditLogEntry, AuditPage } from '@posthorn/contracts/admin/audit'
export type {
  NewPasskeyRequest,
  PasskeyEntry,
  PasskeyList,
  PasskeyPurpose,
  PasskeyRequest,
} from '@posthorn/contracts/admin/factors'
export type {
  InvitationEntry,
  InvitationRequest,
  NewLink,
  PersonRecord,
  PersonUpdate,
  PeopleSessionList,
} from '@posthorn/contracts/admin/people'
import type { PeopleSessionList } from '@posthorn/contracts/admin/people'
export type {
  Factors,
  InvitationDetails,
  RecoveryCodes,
  Session,
  SessionEntry,
  SignInOptions,
} from '@posthorn/contracts/admin/session'
import type { SecondFactorRequired, Session } from '@posthorn/contracts/admin/session'

/**
 * Result of a sign-in: the session, or a ticket with which a second factor completes the sign-in.
 */
export type SignInResult = Session | SecondFactorRequired

/** Session of any person in the list of the sessions of all people. */
export type PersonSession = PeopleSessionList['sessions'][number]

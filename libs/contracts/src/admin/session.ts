import { type Static, Type } from 'typebox'
import { adminRoles } from './role-names.ts'

const strict = { additionalProperties: false } as const
const Time = Type.String({ format: 'date-time' })

/**
 * Pattern of a line of text with a letter, number, punctuation mark or symbol, and without
 * characters that reverse the direction of text. Postgres cannot store a NUL character.
 */
const line =
  '^(?=.*[\\p{L}\\p{N}\\p{P}\\p{S}])[^\\u0000-\\u001F\\u007F\\u2028-\\u202E\\u2066-\\u2069]+$'

/** Role of a person at the administration pages, as a JSON schema. */
export const AdminRoleName = Type.Unsafe<(typeof adminRoles)[number]>({
  type: 'string',
  enum: [...adminRoles],
})

/**
 * Email address of a person at the administration pages. Upper and lower case are not
 * distinguished.
 */
export const PersonEmail = Type.String({ format: 'mail-address', maxLength: 320 })

/** Name of a person, as the administration pages show it. */
export const PersonName = Type.String({ minLength: 1, maxLength: 100, pattern: line })

/**
 * New password that a person chooses for the administration pages. The maximum length limits the
 * cost of hashing.
 */
export const NewPassword = Type.String({ minLength: 12, maxLength: 1000 })

/**
 * Password that a person enters at the administration pages, to be compared with the stored hash.
 */
export const EnteredPassword = Type.String({ minLength: 1, maxLength: 1000 })

/** One-time code or recovery code that a person enters at the administration pages. */
export const EnteredCode = Type.String({ minLength: 6, maxLength: 40 })

/** Token in a set-up link, recovery link or invitation to the administration pages. */
export const LinkToken = Type.String({ minLength: 32, maxLength: 256 })

/** Factors with which a person signs in to the administration pages. */
export const Factors = Type.Object({
  password: Type.Boolean(),
  /** True if the person has confirmed one-time codes (RFC 6238). */
  totp: Type.Boolean(),
  /** Number of passkeys that the person has. */
  passkeys: Type.Integer(),
  /** Number of unused recovery codes that the person has. */
  recoveryCodes: Type.Integer(),
  /** True if the person is linked to the OpenID provider. */
  oidc: Type.Boolean(),
})
export type Factors = Static<typeof Factors>

/** Signed-in person and session, as the administration pages read them. */
export const Session = Type.Object({
  person: Type.Object({
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: AdminRoleName,
    /** True if the person may activate the right to read mail. */
    mayReadMail: Type.Boolean(),
  }),
  session: Type.Object({
    id: Type.String(),
    createdAt: Time,
    /** End of a person's session at the administration pages. An unused session ends earlier. */
    expiresAt: Time,
    /** Time of the last sign-in or repeated factor of the person. */
    factorAt: Time,
  }),
  factors: Factors,
  /**
   * Right of a session at the administration pages to read mail. Empty while the right is not
   * active.
   */
  mailReading: Type.Object({
    until: Type.Optional(Time),
    reason: Type.Optional(Type.String()),
  }),
})
export type Session = Static<typeof Session>

/** Ways to sign in to the administration pages that the installation offers. */
export const SignInOptions = Type.Object({
  /**
   * True until the first owner of the administration pages exists. The set-up link is then
   * required.
   */
  setUp: Type.Boolean(),
  passwords: Type.Boolean(),
  oidc: Type.Optional(
    Type.Object({
      name: Type.String(),
      /** Page that the browser opens after a sign-out from the administration pages. */
      logout: Type.Optional(Type.String()),
    }),
  ),
})
export type SignInOptions = Static<typeof SignInOptions>

/**
 * Request that creates the first owner of the administration pages, or restores access of an owner,
 * with a link.
 */
export const SetUpRequest = Type.Object(
  { token: LinkToken, email: PersonEmail, name: PersonName, password: NewPassword },
  strict,
)
export type SetUpRequest = Static<typeof SetUpRequest>

export const SignInRequest = Type.Object(
  { email: Type.String({ maxLength: 320, pattern: line }), password: EnteredPassword },
  strict,
)
export type SignInRequest = Static<typeof SignInRequest>

/** Result of a sign-in with a correct password, if the person has one-time codes. */
export const SecondFactorRequired = Type.Object({
  secondFactor: Type.Object({ ticket: Type.String() }),
})
export type SecondFactorRequired = Static<typeof SecondFactorRequired>

export const SecondFactorRequest = Type.Object(
  { ticket: Type.String({ minLength: 1, maxLength: 100 }), code: EnteredCode },
  strict,
)
export type SecondFactorRequest = Static<typeof SecondFactorRequest>

/**
 * Request that repeats the factors of a signed-in person. A person with one-time codes sends
 * password and code.
 */
export const StepUpRequest = Type.Object(
  { password: Type.Optional(EnteredPassword), code: Type.Optional(EnteredCode) },
  strict,
)
export type StepUpRequest = Static<typeof StepUpRequest>

/** Request that activates the right to read mail. The reason is stored in the audit log. */
export const MailReadingRequest = Type.Object(
  { reason: Type.String({ minLength: 3, maxLength: 500, pattern: line }) },
  strict,
)
export type MailReadingRequest = Static<typeof MailReadingRequest>

/**
 * Request that sets the password of the signed-in person. `current` is required if the person has a
 * password.
 */
export const PasswordRequest = Type.Object(
  { current: Type.Optional(EnteredPassword), new: NewPassword },
  strict,
)
export type PasswordRequest = Static<typeof PasswordRequest>

/** Session at the administration pages, as an entry of a list of sessions. */
export const SessionEntry = Type.Object({
  id: Type.String(),
  createdAt: Time,
  seenAt: Time,
  expiresAt: Time,
  address: Type.String(),
  /**
   * Browser and operating system of a session at the administration pages, such as `Firefox 140,
   * Linux`.
   */
  browser: Type.String(),
  /** True for the session at the administration pages that has requested the list of sessions. */
  current: Type.Boolean(),
})
export type SessionEntry = Static<typeof SessionEntry>

export const SessionList = Type.Object({ sessions: Type.Array(SessionEntry) })
export type SessionList = Static<typeof SessionList>

/** Result of ending several sessions at the administration pages. */
export const EndedSessions = Type.Object({ ended: Type.Integer() })
export type EndedSessions = Static<typeof EndedSessions>

export const InvitationDetailsRequest = Type.Object({ token: LinkToken }, strict)

/** Invitation to the administration pages, as the invited person sees it. */
export const InvitationDetails = Type.Object({
  email: Type.String(),
  role: AdminRoleName,
  /** Name of the invited person. Present in a link for a person who already exists. */
  name: Type.Optional(Type.String()),
  expiresAt: Time,
})
export type InvitationDetails = Static<typeof InvitationDetails>

export const AcceptInvitationRequest = Type.Object(
  { token: LinkToken, name: PersonName, password: NewPassword },
  strict,
)
export type AcceptInvitationRequest = Static<typeof AcceptInvitationRequest>

/** New recovery codes of a person, which are shown once. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) })
export type RecoveryCodes = Static<typeof RecoveryCodes>

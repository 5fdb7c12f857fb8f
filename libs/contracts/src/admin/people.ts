import { type Static, Type } from 'typebox'
import { AdminRoleName, Factors, PersonEmail, PersonName, SessionEntry } from './session.ts'

const strict = { additionalProperties: false } as const
const Time = Type.String({ format: 'date-time' })

/** Person who may sign in to the administration pages. */
export const PersonRecord = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: AdminRoleName,
  mayReadMail: Type.Boolean(),
  /** True if the person is disabled and cannot sign in to the administration pages. */
  disabled: Type.Boolean(),
  factors: Factors,
  createdAt: Time,
  /**
   * Id of the person who sent the invitation to the administration pages. Absent for a person from
   * the set-up link or OpenID Connect.
   */
  createdBy: Type.Optional(Type.String()),
  signedInAt: Type.Optional(Time),
})
export type PersonRecord = Static<typeof PersonRecord>

export const PersonList = Type.Object({ people: Type.Array(PersonRecord) })
export type PersonList = Static<typeof PersonList>

/**
 * Request that changes a person who may sign in to the administration pages. Absent members stay
 * unchanged.
 */
export const PersonUpdate = Type.Object(
  {
    name: Type.Optional(PersonName),
    role: Type.Optional(AdminRoleName),
    mayReadMail: Type.Optional(Type.Boolean()),
    disabled: Type.Optional(Type.Boolean()),
  },
  strict,
)
export type PersonUpdate = Static<typeof PersonUpdate>

export const InvitationRequest = Type.Object(
  {
    email: PersonEmail,
    role: AdminRoleName,
    mayReadMail: Type.Optional(Type.Boolean({ default: false })),
  },
  strict,
)
export type InvitationRequest = Static<typeof InvitationRequest>

/** New set-up link, recovery link or invitation for a person. The link is shown once. */
export const NewLink = Type.Object({ id: Type.String(), link: Type.String(), expiresAt: Time })
export type NewLink = Static<typeof NewLink>

/** Invitation to the administration pages that was neither used nor revoked. */
export const InvitationEntry = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: AdminRoleName,
  mayReadMail: Type.Boolean(),
  createdAt: Time,
  createdBy: Type.Optional(Type.String()),
  expiresAt: Time,
})
export type InvitationEntry = Static<typeof InvitationEntry>

export const InvitationList = Type.Object({ invitations: Type.Array(InvitationEntry) })
export type InvitationList = Static<typeof InvitationList>

/** Sessions of all people at the administration pages, each with its person. */
export const PeopleSessionList = Type.Object({
  sessions: Type.Array(
    Type.Object({
      ...SessionEntry.properties,
      person: Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
    }),
  ),
})
export type PeopleSessionList = Static<typeof PeopleSessionList>

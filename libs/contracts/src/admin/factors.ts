import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false } as const

/**
 * Seed of a person's one-time codes, which the administration pages show once, as text and as URI
 * for authenticator apps.
 */
export const TotpSeed = Type.Object({ seed: Type.String(), uri: Type.String() })
export type TotpSeed = Static<typeof TotpSeed>

/** Request that confirms a person's seed of one-time codes with a first code. */
export const TotpConfirmation = Type.Object(
  { code: Type.String({ minLength: 6, maxLength: 20 }) },
  strict,
)
export type TotpConfirmation = Static<typeof TotpConfirmation>

const Time = Type.String({ format: 'date-time' })
const Base64Url = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

/** Maximum length of a passkey's credential id: 1,023 bytes (WebAuthn §4) in base64url. */
const maxIdLength = 1_364

/** Name of a passkey, as the person has chosen it. */
export const PasskeyName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })

/** Passkey of the person who is signed in to the administration pages. */
export const PasskeyEntry = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Time,
  usedAt: Type.Optional(Time),
})
export type PasskeyEntry = Static<typeof PasskeyEntry>

export const PasskeyList = Type.Object({ passkeys: Type.Array(PasskeyEntry) })
export type PasskeyList = Static<typeof PasskeyList>

/**
 * Members of a passkey response (`PublicKeyCredential.toJSON()`) that are common to creation and
 * use. Browsers add members, which are ignored.
 */
const credential = {
  id: Base64Url(maxIdLength),
  rawId: Base64Url(maxIdLength),
  type: Type.Literal('public-key'),
}

/** Request that stores a new passkey, with the response of the browser. */
export const NewPasskeyRequest = Type.Object(
  {
    name: Type.Optional(PasskeyName),
    response: Type.Object({
      ...credential,
      response: Type.Object({
        clientDataJSON: Base64Url(8_192),
        attestationObject: Base64Url(32_768),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
      }),
    }),
  },
  strict,
)
export type NewPasskeyRequest = Static<typeof NewPasskeyRequest>

export const PasskeyRename = Type.Object({ name: PasskeyName }, strict)

/** Purpose of using a passkey: to sign in, or to repeat the factor of the session. */
export const PasskeyPurpose = Type.Union([Type.Literal('signIn'), Type.Literal('stepUp')])
export type PasskeyPurpose = Static<typeof PasskeyPurpose>

export const PasskeyOptionsRequest = Type.Object({ purpose: Type.Optional(PasskeyPurpose) }, strict)

/** Request that signs in or repeats a factor with a passkey, with the response of the browser. */
export const PasskeyRequest = Type.Object(
  {
    purpose: PasskeyPurpose,
    response: Type.Object({
      ...credential,
      response: Type.Object({
        clientDataJSON: Base64Url(8_192),
        authenticatorData: Base64Url(8_192),
        signature: Base64Url(8_192),
        userHandle: Type.Optional(Type.Union([Type.Null(), Base64Url(128)])),
      }),
    }),
  },
  strict,
)
export type PasskeyRequest = Static<typeof PasskeyRequest>

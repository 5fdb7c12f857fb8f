import { type Static, Type } from 'typebox'

const strict = { additionalProperties: false } as const

/** Seed of one-time codes, which is shown once, as text and as URI for authenticator apps. */
export const TotpSeed = Type.Object({ seed: Type.String(), uri: Type.String() })
export type TotpSeed = Static<typeof TotpSeed>

/** Request that confirms new one-time codes with a first code. */
export const TotpConfirmation = Type.Object(
  { code: Type.String({ minLength: 6, maxLength: 20 }) },
  strict,
)
export type TotpConfirmation = Static<typeof TotpConfirmation>

import { type Static, Type } from 'typebox'
import { IsoDate, Strict } from './primitives.ts'

/** What clients know as a license. `details` would speak of a key; without one it is false. */
export const LicenseInfo = Type.Object({
  active: Type.Boolean({ description: 'Nothing is held back' }),
  type: Type.String(),
  details: Type.Union([
    Type.Object({
      application: Type.Optional(Type.String()),
      key: Type.Optional(Type.String()),
      licensedTo: Type.Optional(Type.String()),
      hostname: Type.Optional(Type.String()),
      created: Type.Optional(IsoDate),
      trial: Type.Optional(Type.Boolean()),
      lt: Type.Optional(Type.Boolean()),
      expires: Type.Optional(IsoDate),
    }),
    Type.Literal(false),
  ]),
  suspended: Type.Boolean(),
})
export type LicenseInfo = Static<typeof LicenseInfo>

export const LicenseKey = Strict({ license: Type.String({ minLength: 1, maxLength: 10_240 }) })

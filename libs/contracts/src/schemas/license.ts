import { type Static, Type } from 'typebox'
import { IsoDate, Strict } from './primitives.ts'

/** License in the form that clients expect. `details` is false without a license key. */
export const LicenseInfo = Type.Object({
  active: Type.Boolean({
    description: 'Always true: all features are available without a license key.',
  }),
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

import { type Static, Type } from 'typebox'
import { Bool, Strict, Text, Time } from './primitives.ts'

/**
 * License information in the form that existing clients expect. `details` is false without a
 * license key.
 */
export const LicenseInfo = Type.Object({
  active: Bool('Always true: all features are available without a license key.'),
  type: Text('Kind of the license. Always a text which states that no license key is required.'),
  details: Type.Union(
    [
      Type.Object({
        application: Type.Optional(
          Text('Name of the application for which the license key was issued.'),
        ),
        key: Type.Optional(Text('License key. Ignored, because no license key is required.')),
        licensedTo: Type.Optional(Text('Name of the owner of the license key.')),
        hostname: Type.Optional(Text('Host name for which the license key was issued.')),
        created: Type.Optional(Time('Time at which the license key was issued (ISO 8601).')),
        trial: Type.Optional(Bool('True if the license key is for a trial.')),
        lt: Type.Optional(Bool('True if the license key does not expire.')),
        expires: Type.Optional(Time('Time at which the license key expires (ISO 8601).')),
      }),
      Type.Literal(false),
    ],
    {
      description: 'Details of the license key. Always false, because no license key is required.',
    },
  ),
  suspended: Bool('True if the license is suspended. Always false.'),
})
export type LicenseInfo = Static<typeof LicenseInfo>

export const LicenseKey = Strict({
  license: Text('License key. Ignored, because no license key is required.', {
    minLength: 1,
    maxLength: 10_240,
  }),
})

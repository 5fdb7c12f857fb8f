import { type Static, Type } from 'typebox'
import { Bool, Strict, Text, Time } from './primitives.ts'

/**
 * License information in the form that existing clients expect. `details` is false without a
 * license key.
 */
export const LicenseInfo = Type.Object({
  active: Bool('Always true: all features are available without a license key.'),
  type: Text('Constant text: no license key is required.'),
  details: Type.Union(
    [
      Type.Object({
        application: Type.Optional(Text('Application of the license key.')),
        key: Type.Optional(Text('License key.')),
        licensedTo: Type.Optional(Text('Owner of the license.')),
        hostname: Type.Optional(Text('Host name of the license.')),
        created: Type.Optional(Time('Time of issue (ISO 8601).')),
        trial: Type.Optional(Bool('True for a trial license.')),
        lt: Type.Optional(Bool('True for a license without expiry.')),
        expires: Type.Optional(Time('Expiry time (ISO 8601).')),
      }),
      Type.Literal(false),
    ],
    { description: 'Details of the license key. Always false, because there is none.' },
  ),
  suspended: Bool('Always false.'),
})
export type LicenseInfo = Static<typeof LicenseInfo>

export const LicenseKey = Strict({
  license: Text('License key.', { minLength: 1, maxLength: 10_240 }),
})

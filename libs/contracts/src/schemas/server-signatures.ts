import { Type } from 'typebox'
import { Bool, Text } from './primitives.ts'

/** Email signatures that a mail provider stores, by address. */
export const ServerSignatures = Type.Object({
  signatures: Type.Array(
    Type.Object({ address: Text('Email address.'), signature: Text('Signature as HTML.') }),
    { description: 'Stored signatures.' },
  ),
  signaturesSupported: Bool('False if the provider stores no signatures.'),
})

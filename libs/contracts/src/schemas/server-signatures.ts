import { Type } from 'typebox'
import { Bool, Text } from './primitives.ts'

/** Email signatures that a mail provider stores, by address. */
export const ServerSignatures = Type.Object({
  signatures: Type.Array(
    Type.Object({
      address: Text('Email address of the sender to which the signature belongs.'),
      signature: Text('Email signature as HTML. Not sanitized.'),
    }),
    {
      description: 'Email signatures that the provider stores for the account, by sender address.',
    },
  ),
  signaturesSupported: Bool('True if the provider of the account stores email signatures.'),
})

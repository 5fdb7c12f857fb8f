import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf } from './primitives.ts'

/** Result of the last attempt to send through the account's own outgoing server. */
export const SmtpStatus = Type.Object(
  {
    created: IsoDate,
    status: OneOf(['ok', 'error']),
    response: Type.Optional(Type.String({ description: 'Reply of the server.' })),
    description: Type.Optional(Type.String({ description: 'Description of the error.' })),
    responseCode: Type.Optional(Type.Integer()),
    code: Type.Optional(Type.String()),
    command: Type.Optional(Type.String()),
    networkRouting: Nullable(
      Type.Object({
        localAddress: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
        proxy: Type.Optional(Type.String()),
      }),
    ),
  },
  {
    description:
      'Result of the last attempt to send through the outgoing server of the account. Null if there was none within the retention period of sent messages.',
  },
)
export type SmtpStatus = Static<typeof SmtpStatus>

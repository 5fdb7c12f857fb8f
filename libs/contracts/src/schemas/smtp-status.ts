import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf } from './primitives.ts'

/** How the last attempt to send by the account's own outgoing server went. */
export const SmtpStatus = Type.Object(
  {
    created: IsoDate,
    status: OneOf(['ok', 'error']),
    response: Type.Optional(Type.String({ description: 'Of the server' })),
    description: Type.Optional(Type.String({ description: 'What went wrong' })),
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
      'How the last attempt to send by its own outgoing server went, as long as messages that were sent are kept; null: there was none',
  },
)
export type SmtpStatus = Static<typeof SmtpStatus>

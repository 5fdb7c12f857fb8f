import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MailAddress, Strict } from '../schemas/primitives.ts'

const Server = Type.Union([
  Type.Object({
    auth: Type.Object({ user: Type.String({ description: 'Login name.' }) }),
    host: Type.String(),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    secure: Type.Boolean({
      description: 'True for TLS from the start of the connection, false for STARTTLS.',
    }),
  }),
  Type.Literal(false),
])

export const getAutoconfig = defineOperation({
  id: 'getAutoconfig',
  method: 'get',
  path: '/v1/autoconfig',
  tag: 'Account',
  summary: 'Look up the mail servers of an address',
  description: 'The servers are not tested. `imap` and `smtp` are false if nothing was found.',
  scope: 'api',
  permission: { action: 'read', group: 'diagnostics' },
  query: Strict({ email: MailAddress }),
  response: Type.Object({
    imap: Server,
    smtp: Server,
    appPassword: Type.Optional(
      Type.Object({
        required: Type.Boolean(),
        provider: Type.String(),
        instructions: Type.String(),
      }),
    ),
    _source: Type.Optional(Type.String({ description: 'Source of the result, such as `srv`.' })),
  }),
})

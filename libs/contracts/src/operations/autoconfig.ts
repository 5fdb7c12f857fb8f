import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MailAddress, Strict } from '../schemas/primitives.ts'

const Server = Type.Union([
  Type.Object({
    auth: Type.Object({ user: Type.String({ description: 'What one logs in as' }) }),
    host: Type.String(),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    secure: Type.Boolean({ description: 'Implicit TLS on connect; otherwise STARTTLS' }),
  }),
  Type.Literal(false),
])

/** Guesses mail servers from an address. Nothing of it is tried; where nothing is found both servers are false. */
export const getAutoconfig = defineOperation({
  id: 'getAutoconfig',
  method: 'get',
  path: '/v1/autoconfig',
  tag: 'Account',
  summary: 'Find the mail servers of an address',
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
    _source: Type.Optional(Type.String({ description: 'Who knew, such as `srv`' })),
  }),
})

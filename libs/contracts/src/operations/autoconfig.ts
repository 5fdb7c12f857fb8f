import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Bool, described, Int, MailAddress, Strict, Text } from '../schemas/primitives.ts'

const server = (kind: string) =>
  Type.Union(
    [
      Type.Object({
        auth: Type.Object({ user: Text('Login name.') }, { description: 'Login at the server.' }),
        host: Text('Host name of the server.'),
        port: Int('Port of the server.', { minimum: 1, maximum: 65_535 }),
        secure: Bool('True for TLS from the start of the connection, false for STARTTLS.'),
      }),
      Type.Literal(false),
    ],
    { description: `${kind} server. False if none was found.` },
  )

export const getAutoconfig = defineOperation({
  id: 'getAutoconfig',
  method: 'get',
  path: '/v1/autoconfig',
  tag: 'Account',
  summary: 'Look up the mail servers of an address',
  description:
    'Looks up the mail servers of an email address: at well-known providers, in DNS and in the autoconfiguration of the domain. The servers are not tested. `imap` and `smtp` are false if nothing was found.',
  scope: 'api',
  permission: { action: 'read', group: 'diagnostics' },
  query: Strict({ email: described('Address of the mailbox.', MailAddress) }),
  responseDescription: 'Incoming and outgoing server of the address.',
  response: Type.Object({
    imap: server('Incoming'),
    smtp: server('Outgoing'),
    appPassword: Type.Optional(
      Type.Object(
        {
          required: Bool('True if the provider accepts no other password.'),
          provider: Text('Name of the provider.'),
          instructions: Text('Instructions for the owner of the mailbox.'),
        },
        { description: 'App password that the provider issues for mail clients.' },
      ),
    ),
    _source: Type.Optional(Text('Source of the result, such as `srv`.')),
  }),
})

import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { Bool, described, Int, MailAddress, Strict, Text } from '../schemas/primitives.ts'

const server = (kind: string) =>
  Type.Union(
    [
      Type.Object({
        auth: Type.Object(
          { user: Text('Login name at the mail server.') },
          { description: 'Login at the mail server, without the password.' },
        ),
        host: Text('Host name of the mail server.'),
        port: Int('Port of the mail server.', { minimum: 1, maximum: 65_535 }),
        secure: Bool(
          'True if the mail server expects TLS from the start of the connection, false for STARTTLS.',
        ),
      }),
      Type.Literal(false),
    ],
    { description: `${kind} mail server of the email address. False if no mail server was found.` },
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
  query: Strict({
    email: described('Email address whose mail servers are looked up.', MailAddress),
  }),
  responseDescription: 'Incoming and outgoing mail server of the email address.',
  response: Type.Object({
    imap: server('Incoming'),
    smtp: server('Outgoing'),
    appPassword: Type.Optional(
      Type.Object(
        {
          required: Bool(
            'True if the mail provider accepts only an app password, not the password of the user.',
          ),
          provider: Text('Name of the mail provider, such as `iCloud`.'),
          instructions: Text(
            'Instructions for the owner of the mailbox: how to create an app password.',
          ),
        },
        {
          description:
            'App password that the mail provider issues for mail clients. Absent if the mail provider has no app passwords.',
        },
      ),
    ),
    _source: Type.Optional(
      Text(
        'Source of the mail servers that were found, such as `srv` (DNS records of the domain). Absent if no mail server was found.',
      ),
    ),
  }),
})

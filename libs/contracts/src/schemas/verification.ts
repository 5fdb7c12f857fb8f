import { type Static, Type } from 'typebox'
import { accountProxy, smtpEhloName } from './account.ts'
import { ImapConfig, ImapDisabled, SmtpConfig } from './mail-server.ts'
import { listedMailbox, listedUseSource } from './message.ts'
import { Bool, Int, Strict, Text } from './primitives.ts'

/** Body of `POST /v1/verifyAccount`, which tests mail servers and logins without storing them. */
export const VerifyRequest = Strict({
  mailboxes: Type.Optional(
    Bool('If true, also lists the mailboxes of the incoming server.', { default: false }),
  ),
  imap: Type.Optional(
    Type.Union(
      [
        ImapConfig,
        Strict(ImapDisabled.properties, { description: 'Incoming server that is not tested.' }),
        Type.Literal(false),
      ],
      { description: 'Incoming server. False for none.' },
    ),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpConfig, Type.Literal(false)], {
      description: 'Outgoing server. False for none.',
    }),
  ),
  proxy: accountProxy,
  smtpEhloName,
})
export type VerifyRequest = Static<typeof VerifyRequest>

/** Result of a test login at a mail server. */
export const VerificationResult = Type.Object({
  success: Bool('True if the login succeeded.'),
  error: Type.Optional(Text('Text of the error.')),
  code: Type.Optional(Text('Code of the error.')),
  statusCode: Type.Optional(Int('SMTP reply code. 503 or 504 if the test could not be run.')),
  responseText: Type.Optional(Text('Reply of the server.')),
})
export type VerificationResult = Static<typeof VerificationResult>

export const VerifiedMailbox = Type.Object({ ...listedMailbox, specialUseSource: listedUseSource })
export type VerifiedMailbox = Static<typeof VerifiedMailbox>

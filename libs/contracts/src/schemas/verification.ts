import { type Static, Type } from 'typebox'
import { accountProxy, smtpEhloName } from './account-options.ts'
import { ImapConfig, ImapDisabled, SmtpConfig } from './mail-server.ts'
import { listedMailbox, listedUseSource } from './message.ts'
import { Bool, Int, Strict, Text } from './primitives.ts'

/** Body of `POST /v1/verifyAccount`, which tests mail servers and logins without storing them. */
export const VerifyRequest = Strict({
  mailboxes: Type.Optional(
    Bool(
      'If true, the response also lists the mailboxes of the incoming server. Defaults to false.',
      { default: false },
    ),
  ),
  imap: Type.Optional(
    Type.Union(
      [
        ImapConfig,
        Strict(ImapDisabled.properties, {
          description: 'Incoming mail server (IMAP) that is switched off and not tested.',
        }),
        Type.Literal(false),
      ],
      {
        description:
          'Incoming mail server (IMAP) to test. False or absent: no incoming server is tested.',
      },
    ),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpConfig, Type.Literal(false)], {
      description:
        'Outgoing mail server (SMTP) to test. False or absent: no outgoing server is tested.',
    }),
  ),
  proxy: accountProxy,
  smtpEhloName,
})
export type VerifyRequest = Static<typeof VerifyRequest>

/** Result of a test login at a mail server. */
export const VerificationResult = Type.Object({
  success: Bool('True if the login at the mail server succeeded.'),
  error: Type.Optional(Text('Text of the error of the failed test. Absent after a success.')),
  code: Type.Optional(
    Text(
      'Code of the error of the failed test, such as `EAUTH` or `ETIMEDOUT`. Absent after a success.',
    ),
  ),
  statusCode: Type.Optional(
    Int(
      'SMTP reply code of the outgoing server, such as 535. If the test could not be completed: HTTP status, such as 503.',
    ),
  ),
  responseText: Type.Optional(Text('Reply of the mail server to the failed command of the test.')),
})
export type VerificationResult = Static<typeof VerificationResult>

export const VerifiedMailbox = Type.Object({ ...listedMailbox, specialUseSource: listedUseSource })
export type VerifiedMailbox = Static<typeof VerifiedMailbox>

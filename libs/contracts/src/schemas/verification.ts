import { type Static, Type } from 'typebox'
import { ImapConfig, ImapDisabled, SmtpConfig } from './account.ts'
import { SpecialUse } from './message.ts'
import { Nullable, OneOf, Strict } from './primitives.ts'

const Login = Strict({
  user: Type.String({ minLength: 1, maxLength: 256, format: 'one-line' }),
  pass: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  accessToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 16_384, format: 'one-line' }), Type.Literal(false)]),
  ),
})
const auth = Type.Optional(Type.Union([Login, Type.Literal(false)]))

/** Body of `POST /v1/verifyAccount`. Nothing is stored. */
export const VerifyRequest = Strict({
  mailboxes: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'If true, also lists the mailboxes of the incoming server.',
    }),
  ),
  imap: Type.Optional(
    Type.Union([
      Strict({ ...ImapConfig.properties, auth }),
      Strict(
        { ...ImapDisabled.properties, auth },
        { description: 'Incoming server that is not tested.' },
      ),
      Type.Literal(false),
    ]),
  ),
  smtp: Type.Optional(
    Type.Union([Strict({ ...SmtpConfig.properties, auth }), Type.Literal(false)]),
  ),
  proxy: Type.Optional(Type.String({ maxLength: 1024, format: 'proxy-url-or-empty' })),
  smtpEhloName: Type.Optional(Nullable(Type.String({ maxLength: 255, format: 'host-name' }))),
})
export type VerifyRequest = Static<typeof VerifyRequest>

/** Result of a login. */
export const VerificationResult = Type.Object({
  success: Type.Boolean(),
  error: Type.Optional(Type.String({ description: 'Error text.' })),
  code: Type.Optional(Type.String()),
  statusCode: Type.Optional(
    Type.Integer({ description: 'SMTP reply code. 503 or 504 if the test could not be run.' }),
  ),
  responseText: Type.Optional(Type.String({ description: 'Reply of the server.' })),
})
export type VerificationResult = Static<typeof VerificationResult>

export const VerifiedMailbox = Type.Object({
  path: Type.String(),
  delimiter: Nullable(Type.String()),
  parentPath: Type.Optional(Type.String()),
  name: Type.String(),
  listed: Type.Boolean(),
  subscribed: Type.Boolean(),
  specialUse: Type.Optional(SpecialUse),
  specialUseSource: Type.Optional(OneOf(['extension', 'name'])),
  noInferiors: Type.Optional(Type.Boolean()),
})
export type VerifiedMailbox = Static<typeof VerifiedMailbox>

import { type Static, Type } from 'typebox'
import { AccountRegistration } from './account.ts'
import { OAuth2Config } from './account-oauth2.ts'
import { ImapConfig, ImapDisabled, SmtpConfig } from './mail-server.ts'
import { AccountId, KeyValue, OneOf, Strict, Text, Time } from './primitives.ts'

/**
 * Public key of an instance as text: base64url of 32 bytes (X25519), as in SVC_SECRET_PUBLIC_KEY.
 */
export const SealingPublicKey = Text(
  'Public key of an instance: 32 bytes of an X25519 key as base64url, as in `SVC_SECRET_PUBLIC_KEY`. Listed by `GET /admin/api/keys` of that instance.',
  { pattern: '^[A-Za-z0-9_-]{43}$' },
)

export const SealingKey = Type.Object(
  {
    id: Text('Id of the sealing key. Each secret that is sealed with the key contains the id.'),
    publicKey: SealingPublicKey,
    current: Type.Boolean({
      description: 'True for the sealing key with which new secrets are sealed (encrypted).',
    }),
  },
  { description: 'Public key with which the instance seals (encrypts) secrets.' },
)

const Login = Strict({
  user: Text('Login name at the mail server, usually the email address.', {
    minLength: 1,
    maxLength: 256,
    format: 'one-line',
  }),
  accessToken: Type.Optional(
    Type.Literal(true, {
      description:
        'True if the sealed secret of the login is an OAuth2 access token. Absent for a password.',
    }),
  ),
})
const auth = Type.Optional(
  Type.Union([Login, Type.Literal(false)], {
    description:
      'Login at the mail server without its secret, which is in `credentials`. False: no login is stored.',
  }),
)

/** Maximum length of a URL in a transfer. A sealed login is longer than its plaintext. */
const maxUrlLength = 16_384
/** Maximum length of a sealed (encrypted) text. A grant has two tokens of 16,384 characters. */
const maxSealedLength = 65_536

const { name, email, expectedEmail, path, subconnections, copy, logs, paused, proxy, webhooks } =
  AccountRegistration.properties
const { smtpEhloName, imapIndexer, locale, tz } = AccountRegistration.properties
const { auth: oauth2Auth, useAuthServer } = OAuth2Config.properties
const provider = Text('Id of the OAuth2 application, at the exporting instance.', {
  minLength: 1,
  maxLength: 256,
})

const sealedSecret = (description: string) =>
  Type.Optional(Text(description, { maxLength: maxSealedLength }))

/**
 * Settings of an account with secrets that are sealed (encrypted) for another instance. Sealed
 * secrets keep their seal context and their binding (limit of the use).
 */
export const AccountTransfer = Strict(
  {
    account: AccountId,
    name,
    email,
    expectedEmail,
    path,
    subconnections,
    webhooks: Type.Optional({
      ...webhooks,
      description:
        'URL that receives the webhooks of the account. The login in the URL is sealed (encrypted).',
      maxLength: maxUrlLength,
    }),
    webhooksCustomHeaders: Type.Optional(
      Type.Array(
        Strict({
          key: KeyValue.properties.key,
          value: Text('Value of the HTTP header, sealed (encrypted) unless it is empty.', {
            maxLength: maxSealedLength,
            format: 'one-line',
          }),
        }),
        {
          maxItems: 100,
          description: 'Additional HTTP headers of webhook requests, with sealed values.',
        },
      ),
    ),
    copy,
    logs,
    paused,
    notifyFrom: Type.Optional(
      Time('Time of receipt from which messages are announced by `messageNew` (ISO 8601).'),
    ),
    proxy: Type.Optional({
      ...proxy,
      description:
        'URL of the proxy for connections to the mail servers. The login in the URL is sealed (encrypted).',
      maxLength: maxUrlLength,
    }),
    smtpEhloName,
    imapIndexer,
    imap: Type.Optional(
      Type.Union(
        [Strict({ ...ImapConfig.properties, auth }), Strict({ ...ImapDisabled.properties, auth })],
        { description: 'Incoming mail server of the account. Absent: no incoming server.' },
      ),
    ),
    smtp: Type.Optional(
      Strict(
        { ...SmtpConfig.properties, auth },
        { description: 'Outgoing mail server of the account. Absent: no outgoing server.' },
      ),
    ),
    oauth2: Type.Optional(
      Strict(
        { provider, auth: oauth2Auth, useAuthServer },
        { description: 'OAuth2 login of the account without its tokens. Absent: no OAuth2.' },
      ),
    ),
    locale,
    tz,
    tenantSet: Type.Optional(
      Type.Array(OneOf(['imap', 'smtp', 'webhooks', 'webhooksCustomHeaders', 'unknownHeaders']), {
        maxItems: 5,
        description:
          'Settings of the account that a tenant has set: with a token bound to the account, or in the hosted form. `unknownHeaders`: headers whose origin is unknown. Absent: none.',
      }),
    ),
    credentials: Strict(
      {
        imap: sealedSecret('Secret of the login at the incoming mail server.'),
        smtp: sealedSecret('Secret of the login at the outgoing mail server.'),
        oauth2: sealedSecret('OAuth2 tokens of the account.'),
      },
      {
        description:
          'Secrets of the account, each sealed (encrypted) as a compact JWE for the other instance.',
      },
    ),
  },
  { description: 'Settings of an account, with secrets sealed for another instance.' },
)
export type AccountTransfer = Static<typeof AccountTransfer>

/** Reasons for which the import of an account is rejected. */
export const transferRejections = [
  'invalid',
  'unknownApplication',
  'userExists',
  'otherKey',
  'otherUse',
] as const
export type TransferRejection = (typeof transferRejections)[number]

/** Ids of OAuth2 applications of this instance, by the ids in the exported accounts. */
export const ApplicationIds = Type.Record(
  Type.String({ minLength: 1, maxLength: 256 }),
  Type.String({ minLength: 1, maxLength: 256 }),
  {
    maxProperties: 1000,
    description:
      'Ids of the OAuth2 applications of this instance, by the ids of the applications of the exporting instance. Applications that are absent here keep their id.',
  },
)

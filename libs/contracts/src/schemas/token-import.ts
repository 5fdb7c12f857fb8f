import { type Static, Type } from 'typebox'
import { AccountId, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'
import { TokenRequest, tokenScopes } from './token.ts'

/** Reasons for which an import does not store an access token. */
export const tokenSkipReasons = [
  'unknown-account',
  'expired',
  'created-here',
  'deleted-here',
] as const

const tokenId = (description: string) => Text(description, { pattern: '^[0-9a-f]{64}$' })

/** Access token of an EmailEngine instance. The value is not known to the importer. */
export const ImportedToken = Strict({
  id: tokenId(
    'Id of the token in EmailEngine: SHA-256 of the 32 raw bytes of the value, as 64 lower-case hexadecimal digits.',
  ),
  account: Type.Optional(
    Nullable(
      described(
        'Id of the account to which the token is bound. The account must exist. Null or absent: the token is valid for all accounts.',
        AccountId,
      ),
    ),
  ),
  description: TokenRequest.properties.description,
  scopes: Type.Array(OneOf([...tokenScopes, '*']), {
    minItems: 1,
    maxItems: 4,
    uniqueItems: true,
    description:
      'Interfaces at which the token is valid: `api` (REST API), `smtp` (SMTP proxy), `imap-proxy` (IMAP proxy), `*` (all interfaces, and the operations for operators). Other scopes of EmailEngine are rejected.',
  }),
  metadata: TokenRequest.properties.metadata,
  restrictions: TokenRequest.properties.restrictions,
  permissions: TokenRequest.properties.permissions,
  created: Type.Optional(
    Time('Time at which the token was created (ISO 8601). Absent: the time of the import.'),
  ),
  expires: TokenRequest.properties.expires,
  ip: TokenRequest.properties.ip,
  remoteAddress: Type.Optional(
    Text('IP address from which the request that created the token was sent.', { maxLength: 64 }),
  ),
  access: Type.Optional(
    Strict(
      {
        time: Type.Optional(
          Nullable(Time('Time of the last use of the token (ISO 8601). Null or absent: unknown.')),
        ),
        ip: Type.Optional(
          Nullable(
            Text('IP address of the client that last used the token. Null or absent: unknown.', {
              maxLength: 64,
            }),
          ),
        ),
      },
      { description: 'Last use of the token in EmailEngine: time and IP address.' },
    ),
  ),
})
export type ImportedToken = Static<typeof ImportedToken>

export const TokenImport = Strict({
  tokens: Type.Array(ImportedToken, {
    minItems: 1,
    maxItems: 1000,
    description: 'Access tokens to import, at most 1,000. Each id may occur once.',
  }),
})

export const TokenImportResult = Type.Object({
  imported: Int('Number of access tokens that were stored by this request.'),
  unchanged: Int(
    'Number of access tokens that an earlier request has imported. They stay as they are stored.',
  ),
  skipped: Type.Array(
    Type.Object({
      id: Text('Id of the access token in EmailEngine, as sent in the request.'),
      reason: OneOf(tokenSkipReasons, {
        description:
          'Reason for which the access token was not stored. `unknown-account`: the account of the token does not exist; `expired`: the token has expired; `created-here`: a token that was not imported has the same id; `deleted-here`: the token was deleted here after an earlier import.',
      }),
    }),
    { description: 'Access tokens that were not stored, in the order of the request.' },
  ),
})
export type TokenImportResult = Static<typeof TokenImportResult>

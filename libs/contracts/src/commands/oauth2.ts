import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OAuth2CheckStep, oauth2Providers } from '../schemas/oauth2-app.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

/**
 * Tests an OAuth2 application step by step. If `account` is set, the test uses an access token of
 * that account.
 */
export const verifyOAuth2App = defineCommand({
  name: 'verifyOAuth2App',
  request: Strict({
    app: Type.String(),
    /**
     * Id of an account, or an email address for which the service account of the OAuth2 application
     * requests a token.
     */
    account: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  response: Type.Object({ steps: Type.Array(OAuth2CheckStep) }),
})

/**
 * Revokes the OAuth2 grant of an account before the account is deleted. `revoked` is false if the
 * revocation failed.
 */
export const revokeAccountGrant = defineCommand({
  name: 'revokeAccountGrant',
  request: Strict({ account: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
})

/** Reads a currently valid OAuth2 access token of an account. */
export const getOAuth2Token = defineCommand({
  name: 'getOAuth2Token',
  request: Strict({ account: Type.String() }),
  response: Type.Object({
    user: Type.String(),
    accessToken: Type.String(),
    provider: OneOf(oauth2Providers),
    app: Type.String(),
    scopes: Type.Array(Type.String()),
    expires: Type.Optional(
      Type.Integer({ description: 'Expiry time in milliseconds since 1970.' }),
    ),
    cached: Type.Boolean(),
  }),
})

/**
 * Requests an access token for Pub/Sub. The token belongs to the service account of an OAuth2
 * application.
 */
export const getPubSubToken = defineCommand({
  name: 'getPubSubToken',
  repeatable: true,
  request: Strict({ app: Type.String() }),
  response: Type.Object({
    accessToken: Type.String(),
    expires: Type.Optional(
      Type.Integer({ description: 'Expiry time in milliseconds since 1970.' }),
    ),
  }),
})

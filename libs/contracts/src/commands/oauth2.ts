import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OAuth2CheckStep, oauth2Providers } from '../schemas/oauth2-app.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

/** Tries an application step by step, with a token of one of its accounts if one is named. Nothing is changed but tokens. */
export const verifyOAuth2App = defineCommand({
  name: 'verifyOAuth2App',
  request: Strict({
    app: Type.String(),
    /** An account, or an address that a service account is to get a token for. */
    account: Type.Optional(Type.String({ maxLength: 256 })),
  }),
  response: Type.Object({ steps: Type.Array(OAuth2CheckStep) }),
})

/** Gives the grant of an account back to its provider (RFC 7009), before the account is deleted. Softly: false where it could not. */
export const revokeAccountGrant = defineCommand({
  name: 'revokeAccountGrant',
  request: Strict({ account: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
})

/** An access token of an account that is good now, for whoever may see it. */
export const getOAuth2Token = defineCommand({
  name: 'getOAuth2Token',
  request: Strict({ account: Type.String() }),
  response: Type.Object({
    user: Type.String(),
    accessToken: Type.String(),
    provider: OneOf(oauth2Providers),
    app: Type.String(),
    scopes: Type.Array(Type.String()),
    expires: Type.Optional(Type.Integer({ description: 'Milliseconds since 1970' })),
    cached: Type.Boolean(),
  }),
})

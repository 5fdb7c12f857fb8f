import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

// OAuth2 consent, for the hosted form and for registrations with `authorize`: the gateway keeps state and verifier, auth-bridge knows the
// application's secret and talks to the provider. No token ever reaches the gateway but sealed for the account's row.

/** The address a person is sent to, with state and PKCE challenge (RFC 7636, S256). */
export const startOAuth2Login = defineCommand({
  name: 'startOAuth2Login',
  request: Strict({
    app: Type.String(),
    state: Type.String({ minLength: 16, maxLength: 256 }),
    codeChallenge: Type.String({ minLength: 43, maxLength: 128 }),
    /** Who is expected to log in. */
    loginHint: Type.Optional(Type.String({ maxLength: 256 })),
    /** Ask anew, even a person who has consented before. */
    consent: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({ url: Type.String() }),
})

/** Exchanges the code of a callback for a grant, and asks who it is of. */
export const completeOAuth2Login = defineCommand({
  name: 'completeOAuth2Login',
  request: Strict({
    app: Type.String(),
    /** Whose row the grant will be put in: it is sealed for that. */
    account: Type.String(),
    code: Type.String({ maxLength: 4096 }),
    codeVerifier: Type.String({ minLength: 43, maxLength: 128 }),
  }),
  response: Type.Object({
    /** The login name at the mail servers: the address. */
    user: Type.String(),
    /** The provider says that nobody has verified the address: whoever signed in may have made it up. */
    unverified: Type.Optional(Type.Literal(true)),
    name: Type.Optional(Type.String()),
    scopes: Type.Array(Type.String()),
    /** Scopes the application needs and the person did not give. */
    missingScopes: Type.Array(Type.String()),
    /** For `credentials`, kind `oauth2`. */
    sealedGrant: Type.String(),
  }),
})

/** Gives a grant back to the provider (RFC 7009) that no account will use. Softly: false where it could not. */
export const revokeOAuth2Grant = defineCommand({
  name: 'revokeOAuth2Grant',
  request: Strict({ app: Type.String(), account: Type.String(), sealedGrant: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
})

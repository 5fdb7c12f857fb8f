import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

// Commands for the OAuth2 consent of users, in the hosted form and in registrations with
// `authorize`. api-gateway stores the state and the PKCE verifier, auth-bridge has the client
// secret. api-gateway receives OAuth2 tokens only sealed for the row of the account.

/**
 * Builds the URL of the OAuth2 provider's consent page, with a state and a PKCE challenge (RFC
 * 7636, S256).
 */
export const startOAuth2Login = defineCommand({
  name: 'startOAuth2Login',
  request: Strict({
    app: Type.String(),
    state: Type.String({ minLength: 16, maxLength: 256 }),
    codeChallenge: Type.String({ minLength: 43, maxLength: 128 }),
    /** Login name that the consent page of the OAuth2 provider suggests to the user. */
    loginHint: Type.Optional(Type.String({ maxLength: 256 })),
    /**
     * If true, the OAuth2 provider shows its consent page even to a user who has consented before.
     */
    consent: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    url: Type.String(),
    /**
     * Issuer identifier of the OAuth2 provider, if known. A redirect from the provider that names
     * another issuer must be rejected (RFC 9207).
     */
    issuer: Type.Optional(Type.String()),
    /** True if the OAuth2 provider announces that all of its redirects name the issuer. */
    requiresIss: Type.Optional(Type.Literal(true)),
  }),
})

/**
 * Exchanges the authorization code of an OAuth2 consent for a grant, and reads the user to whom the
 * grant belongs. A code must only be sent once: if a provider receives a code twice, it revokes the
 * tokens that it issued for the code (RFC 6749 §4.1.2).
 */
export const completeOAuth2Login = defineCommand({
  name: 'completeOAuth2Login',
  atMostOnce: true,
  request: Strict({
    app: Type.String(),
    /** Id of the account in whose row the sealed (encrypted) OAuth2 grant is stored. */
    account: Type.String(),
    code: Type.String({ maxLength: 4096 }),
    codeVerifier: Type.String({ minLength: 43, maxLength: 128 }),
  }),
  response: Type.Object({
    /** Login name of the consenting user at the mail servers, which is the email address. */
    user: Type.String(),
    /**
     * True if the OAuth2 provider reports that it has not verified the email address. The user may
     * then not own the address.
     */
    unverified: Type.Optional(Type.Literal(true)),
    name: Type.Optional(Type.String()),
    scopes: Type.Array(Type.String()),
    /** Required OAuth2 scopes that the user did not grant. */
    missingScopes: Type.Array(Type.String()),
    /**
     * Sealed (encrypted) OAuth2 grant, for a row of the table `credentials` with the kind `oauth2`.
     */
    sealedGrant: Type.String(),
  }),
})

/**
 * Revokes an unused OAuth2 grant at the OAuth2 provider (RFC 7009). `revoked` is false if the
 * revocation failed.
 */
export const revokeOAuth2Grant = defineCommand({
  name: 'revokeOAuth2Grant',
  request: Strict({ app: Type.String(), account: Type.String(), sealedGrant: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
})

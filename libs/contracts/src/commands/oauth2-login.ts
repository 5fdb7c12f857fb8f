import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

// OAuth2 consent of the hosted form and of registrations with `authorize`. api-gateway holds state
// and verifier, auth-bridge the client secret. OAuth2 tokens reach api-gateway only sealed for the
// account's row.

/** Builds the URL of the provider's consent page with state and PKCE challenge (RFC 7636, S256). */
export const startOAuth2Login = defineCommand({
  name: 'startOAuth2Login',
  request: Strict({
    app: Type.String(),
    state: Type.String({ minLength: 16, maxLength: 256 }),
    codeChallenge: Type.String({ minLength: 43, maxLength: 128 }),
    /** Login name that the consent page of the provider suggests. */
    loginHint: Type.Optional(Type.String({ maxLength: 256 })),
    /** If true, the provider requests consent again from a user who has consented before. */
    consent: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({
    url: Type.String(),
    /**
     * Issuer identifier of the OAuth2 provider, if known. A callback must not name another issuer
     * (RFC 9207).
     */
    issuer: Type.Optional(Type.String()),
    /** True if the OAuth2 provider announces that every callback names the issuer. */
    requiresIss: Type.Optional(Type.Literal(true)),
  }),
})

/**
 * Exchanges the authorization code of an OAuth2 consent for a grant and reads the user of the
 * grant. A provider that receives a code twice revokes the tokens that it issued for the code (RFC
 * 6749 §4.1.2).
 */
export const completeOAuth2Login = defineCommand({
  name: 'completeOAuth2Login',
  atMostOnce: true,
  request: Strict({
    app: Type.String(),
    /** Account for whose row the OAuth2 grant is sealed. */
    account: Type.String(),
    code: Type.String({ maxLength: 4096 }),
    codeVerifier: Type.String({ minLength: 43, maxLength: 128 }),
  }),
  response: Type.Object({
    /** Login name of the consenting user at the mail servers: the email address. */
    user: Type.String(),
    /**
     * True if the OAuth2 provider reports the email address as not verified, so the user may not
     * own the address.
     */
    unverified: Type.Optional(Type.Literal(true)),
    name: Type.Optional(Type.String()),
    scopes: Type.Array(Type.String()),
    /** Required OAuth2 scopes that the user did not grant. */
    missingScopes: Type.Array(Type.String()),
    /** Sealed OAuth2 grant, as a value for the table `credentials`, kind `oauth2`. */
    sealedGrant: Type.String(),
  }),
})

/** Revokes an unused OAuth2 grant at the provider (RFC 7009). `revoked` is false if that failed. */
export const revokeOAuth2Grant = defineCommand({
  name: 'revokeOAuth2Grant',
  request: Strict({ app: Type.String(), account: Type.String(), sealedGrant: Type.String() }),
  response: Type.Object({ revoked: Type.Boolean() }),
})

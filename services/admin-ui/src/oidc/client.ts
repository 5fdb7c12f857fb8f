import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { OidcConfig } from './oidc-config.ts'
import { OpenIdError } from './open-id-error.ts'

// This module is the only one that imports the library for OpenID Connect.

/** Timeout of each request to the OpenID provider, in seconds. */
const timeoutSeconds = 10

/**
 * State, nonce and code verifier of a sign-in at the OpenID provider, stored until the browser
 * returns.
 */
export interface SignInRequestState {
  state: string
  nonce: string
  verifier: string
}

/** Claims of the OpenID provider about a person, from the ID token and the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/**
 * Client of the OpenID provider: code flow with PKCE, nonce and state. The provider is discovered
 * at the first use, again after a failure, so that an outage of the provider stops no service.
 */
export class OidcClient {
  readonly #config: OidcConfig
  #discovered: Promise<Configuration> | undefined

  constructor(config: OidcConfig) {
    this.#config = config
  }

  /**
   * Starts a sign-in at the OpenID provider. Returns the address of the provider, and the values
   * for `finish`.
   *
   * @throws OpenIdError `providerDown` if the provider does not respond
   */
  async start(redirectUri: string): Promise<{ url: string; expected: SignInRequestState }> {
    const provider = await this.#discover()
    const expected = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
    }
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: this.#config.scopes,
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await calculatePKCECodeChallenge(expected.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, expected }
  }

  /**
   * Exchanges the code of the OpenID provider's callback for the claims about the person. Checks
   * state, nonce, issuer, audience, expiry and signature of the ID token.
   *
   * @throws OpenIdError `refused` if a check fails or the provider refuses; `providerDown` if the
   * provider does not respond
   */
  async finish(callback: URL, expected: SignInRequestState): Promise<Claims> {
    const provider = await this.#discover()
    try {
      const tokens = await authorizationCodeGrant(provider, callback, {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('the provider sent no ID token')
      if (provider.serverMetadata().userinfo_endpoint === undefined) return claims
      // OpenID providers send the email address and the groups in the ID token or from the userinfo
      // endpoint.
      return { ...claims, ...(await fetchUserInfo(provider, tokens.access_token, claims.sub)) }
    } catch (error) {
      throw isOutage(error) ? providerDown(error) : refused(error)
    }
  }

  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#config
    const isPlain = issuer.startsWith('http:')
    const execute = [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])]
    const options = { timeout: timeoutSeconds, execute }
    this.#discovered ??= discovery(
      new URL(issuer),
      clientId,
      clientSecret.reveal(),
      undefined,
      options,
    ).catch((error: unknown) => {
      this.#discovered = undefined
      throw providerDown(error)
    })
    return this.#discovered
  }
}

/**
 * True if the OpenID provider is not reachable or does not respond in time. Such errors have no
 * code of the protocol.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return code === 'OAUTH_TIMEOUT' || error.name === 'TimeoutError' || isFetchFailure(error)
}

function isFetchFailure(error: Error): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function providerDown(cause: unknown): OpenIdError {
  const message = 'The OpenID provider does not respond. Retry later or sign in with a passkey'
  return new OpenIdError('providerDown', { kind: 'unavailable', message, cause })
}

function refused(cause: unknown): OpenIdError {
  const message = 'The sign-in at the OpenID provider failed. Start the sign-in again'
  return new OpenIdError('refused', { kind: 'unauthorized', message, cause })
}

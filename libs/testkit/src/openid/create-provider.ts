import { generateKeyPairSync } from 'node:crypto'
import Provider from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'

/** Settings and counters of the OpenID provider. */
export interface ProviderSettings {
  clientId: string
  clientSecret: string
  redirectUrls: string[]
  /** Lifetime of the OpenID provider's new access tokens in seconds. Initially 3,600. */
  accessTokenSeconds: number
  /** OAuth2 scopes that users of the OpenID provider do not consent to. */
  withheldScopes: Set<string>
  /**
   * User who logs in at the OpenID provider if a request has no `login_hint`. Initially
   * `someone@mail.test`.
   */
  user: string
  /** Users whose email address the OpenID provider reports as verified. */
  verified: Set<string>
  /**
   * Users whose email address the OpenID provider reports as unverified. For users in neither set,
   * the provider reports neither verified nor unverified.
   */
  unverified: Set<string>
  /**
   * True if a refresh token of the OpenID provider stays valid after its replacement, as at
   * providers that tolerate lost responses. Initially false.
   */
  acceptsReplacedRefreshTokens: boolean
  /** Number of token requests that the OpenID provider granted and refused, per grant type. */
  counts: { granted: Record<string, number>; refused: Record<string, number> }
  /** Number of tokens of the OpenID provider that clients revoked (RFC 7009). */
  revoked: number
  /** Ids of the OpenID provider's OAuth2 grants by user. */
  grants: Map<string, Set<string>>
}

/**
 * Creates an `oidc-provider` that is configured like the OpenID providers of mail: PKCE, rotating
 * refresh tokens, revocation.
 */
export async function createProvider(issuer: string, state: ProviderSettings): Promise<Provider> {
  const { clientId, clientSecret, redirectUrls, counts } = state
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUrls,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    adapter: adapterFor(state),
    cookies: { keys: ['for tests'] },
    jwks: { keys: [signingKey()] },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: () => true },
    },
    // The last OAuth2 scope in the list belongs to the Gmail API.
    scopes: ['openid', 'offline_access', 'mail', 'https://www.googleapis.com/auth/gmail.modify'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: () => state.accessTokenSeconds,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 600,
    },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: accountId,
        name: `Name of ${accountId}`,
        ...(state.verified.has(accountId) ? { email_verified: true } : {}),
        ...(state.unverified.has(accountId) ? { email_verified: false } : {}),
      }),
    }),
  })
  provider.on('grant.success', ({ oidc }) => {
    count(counts.granted, oidc.params['grant_type'])
    const { Account, Grant } = oidc.entities
    if (!Account || !Grant) return
    const grants = state.grants.get(Account.accountId) ?? new Set()
    state.grants.set(Account.accountId, grants.add(Grant.jti))
  })
  provider.on('grant.revoked', () => void state.revoked++)
  provider.on('grant.error', ({ oidc }) => count(counts.refused, oidc.params['grant_type']))
  return provider
}

/**
 * Creates the storage of the OpenID provider in memory. An explicit storage avoids a warning. A
 * refresh token that is not marked as consumed stays valid.
 */
function adapterFor(state: ProviderSettings) {
  return class extends MemoryAdapter {
    readonly #kind: string

    constructor(kind: string) {
      super(kind)
      this.#kind = kind
    }

    override async consume(id: string): Promise<void> {
      if (this.#kind !== 'RefreshToken' || !state.acceptsReplacedRefreshTokens)
        await super.consume(id)
    }
  }
}

function count(counts: Record<string, number>, kind: unknown): void {
  const key = String(kind)
  counts[key] = (counts[key] ?? 0) + 1
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'test' }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import { listen, stopListening } from '../listening.ts'
import type { ProviderSettings } from './create-provider.ts'
import { followConsent, type ConsentResult } from './consent.ts'

/** OpenID provider for tests. Changes of its settings take effect immediately. */
export interface TestOpenIdProvider extends ProviderSettings {
  /** Issuer (URL) of the OpenID provider's discovery document. */
  issuer: string
  tokenUrl: string
  authorizeUrl: string
  userinfoUrl: string
  revokeUrl: string
  /**
   * URL of the OpenID provider's introspection endpoint (RFC 7662) for Dovecot. The response has
   * the owner of the token as `username`.
   */
  introspectionUrl: string
  /**
   * If set, the token endpoint of the OpenID provider executes a request and then waits for this
   * function before it responds.
   */
  holdTokenReplies?: (() => Promise<void>) | undefined
  /** If set, the OpenID provider sends its discovery document after this function has resolved. */
  holdDiscovery?: (() => Promise<void>) | undefined
  /** If set, the OpenID provider sends this response to every token request. */
  tokenReply?: { status: number; body: string } | undefined
  /** Revokes all OAuth2 grants of a user. */
  revoke(user: string): Promise<void>
  /**
   * Completes the consent page as the user in `login_hint`, or else `user`. Returns the parameters
   * with which the consent page redirects the browser.
   */
  consent(authorizeUrl: string): Promise<ConsentResult>
  close(): Promise<void>
}

/**
 * Starts an OpenID provider on loopback with code flow with PKCE, single-use refresh tokens,
 * revocation and userinfo. The user in `login_hint`, or else `user`, logs in and consents.
 */
export async function testOpenIdProvider(
  options: { redirectUrls?: string[] } = {},
): Promise<TestOpenIdProvider> {
  const state: ProviderSettings = {
    clientId: 'posthorn-test',
    clientSecret: 'secret-of-posthorn-test-that-must-not-leak',
    redirectUrls: options.redirectUrls ?? ['http://127.0.0.1:1/oauth'],
    accessTokenSeconds: 3_600,
    withheldScopes: new Set(),
    user: 'someone@mail.test',
    verified: new Set(),
    unverified: new Set(),
    acceptsReplacedRefreshTokens: false,
    counts: { granted: {}, refused: {} },
    grants: new Map(),
    revoked: 0,
  }
  const server = createServer()
  const issuer = `http://127.0.0.1:${await listen(server)}`
  // The OpenID provider is loaded on first use because it is large.
  const { createProvider } = await import('./create-provider.ts')
  const provider = await createProvider(issuer, state)
  const test: TestOpenIdProvider = Object.assign(state, {
    issuer,
    tokenUrl: `${issuer}/token`,
    authorizeUrl: `${issuer}/auth`,
    userinfoUrl: `${issuer}/me`,
    revokeUrl: `${issuer}/token/revocation`,
    introspectionUrl: `${issuer}/introspect-for-dovecot`,
    revoke: (user: string) => revokeAll(provider, state, user),
    consent: followConsent,
    close: () => stopListening(server, () => server.closeAllConnections()),
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const { tokenReply: fixedReply, holdTokenReplies, holdDiscovery } = test
    const isDiscovery = request.url?.startsWith('/.well-known/')
    const hold = isDiscovery ? holdDiscovery : request.url === '/token' && holdTokenReplies
    if (hold) delayReply(response, hold)
    if (fixedReply && request.url === '/token')
      response
        .writeHead(fixedReply.status, { 'content-type': 'application/json' })
        .end(fixedReply.body)
    else if (request.url?.startsWith('/interaction/'))
      void grantConsent({ provider, state: test }, request, response)
    else if (request.url === '/introspect-for-dovecot') void introspect(provider, request, response)
    else handle(request, response)
  })
  return test
}

function delayReply(response: ServerResponse, until: () => Promise<void>): void {
  const end = response.end.bind(response)
  response.end = ((...body: Parameters<typeof end>) => {
    void until().then(() => end(...body))
    return response
  }) as typeof end
}

/** Logs in the user of `login_hint`, or else `user`, with all scopes except the withheld scopes. */
async function grantConsent(
  { provider, state }: { provider: Provider; state: ProviderSettings },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const { withheldScopes, user } = state
  const accountId = params['login_hint'] ?? user
  const grant = new provider.Grant({ accountId, clientId: params['client_id'] ?? '' })
  const requested = (params['scope'] ?? '').split(' ')
  grant.addOIDCScope(requested.filter((scope) => !withheldScopes.has(scope)).join(' '))
  // Withheld OAuth2 scopes are rejected explicitly, because the OpenID provider would otherwise
  // request them again endlessly.
  grant.rejectOIDCScope([...withheldScopes].join(' '))
  const result = { login: { accountId }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}

/**
 * Introspection endpoint for Dovecot. Dovecot sends no client credentials and expects the user name
 * without the domain (`auth_username_format`).
 */
async function introspect(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = new URLSearchParams(await text(request)).get('token') ?? ''
  const accessToken = await provider.AccessToken.find(token)
  const reply = accessToken
    ? { active: true, username: accessToken.accountId.split('@')[0], scope: accessToken.scope }
    : { active: false }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
}

async function revokeAll(
  provider: Provider,
  { grants }: ProviderSettings,
  user: string,
): Promise<void> {
  for (const id of grants.get(user) ?? []) {
    await provider.AccessToken.revokeByGrantId(id)
    await provider.RefreshToken.revokeByGrantId(id)
    await (await provider.Grant.find(id))?.destroy()
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import type { ProviderSettings } from './create-provider.ts'
import { followConsent, type ConsentResult } from './consent.ts'

export interface TestOpenIdProvider {
  /** Of its discovery document. */
  issuer: string
  clientId: string
  clientSecret: string
  tokenUrl: string
  authorizeUrl: string
  userinfoUrl: string
  revokeUrl: string
  /** Where a Dovecot asks about tokens (RFC 7662); whoever holds one is told by `username`. */
  introspectionUrl: string
  /** How long access tokens that it gives from now on are good; 3,600 to begin with. */
  accessTokenSeconds: number
  /** Scopes that people do not consent to. */
  withheldScopes: Set<string>
  /** Whose addresses it calls unverified; of the others it says nothing. */
  unverified: Set<string>
  /** Whether a refresh token that was replaced is good all the same, as with providers that forgive a lost answer; false to begin with. */
  acceptsReplacedRefreshTokens: boolean
  /** While it is set, the token endpoint does what it is asked for and waits for this before it says so. */
  holdTokenReplies?: (() => Promise<void>) | undefined
  /** Grants of each kind that it gave, and refused. */
  counts: { given: Record<string, number>; refused: Record<string, number> }
  /** While it is set token requests are answered with this. */
  tokenReply?: { status: number; body: string } | undefined
  /** How many tokens were given back to it (RFC 7009). */
  revoked(): number
  /** Takes back all that a person has consented to. */
  revoke(user: string): Promise<void>
  /** Goes through the page of consent as `login_hint` says, and answers with what the callback is told. */
  consent(authorizeUrl: string): Promise<ConsentResult>
  close(): Promise<void>
}

/**
 * An OpenID provider on loopback: code flow with PKCE, refresh tokens that are good for one use, revocation, userinfo. Everybody is
 * who `login_hint` says, and consents.
 */
export async function testOpenIdProvider(
  options: { redirectUrls?: string[] } = {},
): Promise<TestOpenIdProvider> {
  const state: ProviderSettings = {
    clientId: 'posthorn-test',
    clientSecret: 'secret-of-posthorn-test-that-nobody-may-see',
    redirectUrls: options.redirectUrls ?? ['http://127.0.0.1:1/oauth'],
    accessTokenSeconds: 3_600,
    withheldScopes: new Set(),
    unverified: new Set(),
    acceptsReplacedRefreshTokens: false,
    counts: { given: {}, refused: {} },
    grants: new Map(),
    revocations: 0,
  }
  const { withheldScopes } = state
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { createProvider } = await import('./create-provider.ts') // large: for those who ask for one
  const provider = await createProvider(issuer, state)
  // The same object: what a test changes of it the provider goes by.
  const test: ProviderSettings & TestOpenIdProvider = Object.assign(state, {
    issuer,
    tokenUrl: `${issuer}/token`,
    authorizeUrl: `${issuer}/auth`,
    userinfoUrl: `${issuer}/me`,
    revokeUrl: `${issuer}/token/revocation`,
    introspectionUrl: `${issuer}/introspect-for-dovecot`,
    revoked: () => state.revocations,
    revoke: (user: string) => revokeAll(provider, state, user),
    consent: followConsent,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const { tokenReply: planned, holdTokenReplies: held } = test
    if (held && request.url === '/token') delayReply(response, held)
    if (planned && request.url === '/token')
      response.writeHead(planned.status, { 'content-type': 'application/json' }).end(planned.body)
    else if (request.url?.startsWith('/interaction/'))
      void grantConsent({ provider, withheldScopes }, request, response)
    else if (request.url === '/introspect-for-dovecot') void introspect(provider, request, response)
    else handle(request, response)
  })
  return test
}

function delayReply(response: ServerResponse, until: () => Promise<void>): void {
  const end = response.end.bind(response)
  response.end = ((...answer: Parameters<typeof end>) => {
    void until().then(() => end(...answer))
    return response
  }) as typeof end
}

/** Logs in whom `login_hint` names, with all scopes but the withheld. */
async function grantConsent(
  { provider, withheldScopes }: { provider: Provider; withheldScopes: Set<string> },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response)
  const accountId = params['login_hint'] ?? 'someone@mail.test'
  const grant = new provider.Grant({ accountId, clientId: params['client_id'] ?? '' })
  const asked = (params['scope'] ?? '').split(' ')
  grant.addOIDCScope(asked.filter((scope) => !withheldScopes.has(scope)).join(' '))
  // Else they would be asked for again, without end.
  grant.rejectOIDCScope([...withheldScopes].join(' '))
  const result = { login: { accountId }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}

/** Dovecot sends no credentials of its own, and wants the name as it knows it: without the domain (`auth_username_format`). */
async function introspect(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = new URLSearchParams(await text(request)).get('token') ?? ''
  const found = await provider.AccessToken.find(token)
  const answer = found
    ? { active: true, username: found.accountId.split('@')[0], scope: found.scope }
    : { active: false }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
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

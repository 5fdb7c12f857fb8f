import { defined } from '@posthorn/contracts/defined'
import type { HttpCaller } from '@posthorn/net/http-caller'
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  None,
  processDiscoveryResponse,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi'
import type { Application } from './application.ts'
import { signClientAssertion } from './assertion.ts'
import { fetchThrough } from './http-fetch.ts'

interface HttpDeps {
  http: Pick<HttpCaller, 'call'>
}

/** Endpoints of an OAuth2 application's provider. */
export interface Endpoints {
  tokenUrl: string
  authorizeUrl?: string
  userinfoUrl?: string
  revokeUrl?: string
  /** Issuer identifier of the OAuth2 provider; absent if the provider publishes none. */
  issuer?: string
  /** True if the OAuth2 provider announces the parameter `iss` in its callbacks (RFC 9207 §3). */
  requiresIss?: true
  /** True if OAuth2 requests must send client id and secret in the Authorization header. */
  usesBasicAuth: boolean
}

/**
 * Finds the provider endpoints of an OAuth2 application. Configured endpoints override the
 * endpoints of OpenID Connect Discovery 1.0.
 *
 * @throws Error if the issuer is unavailable or publishes no token endpoint
 */
export async function findEndpoints(
  { http }: HttpDeps,
  { profile }: Application,
): Promise<Endpoints> {
  const { tokenUrl, authorizeUrl, userinfoUrl, revokeUrl, issuer } = profile
  const discovered = issuer === undefined ? { usesBasicAuth: false } : await discover(http, issuer)
  const endpoints = {
    ...discovered,
    ...defined({ tokenUrl, authorizeUrl, userinfoUrl, revokeUrl }),
  }
  if (endpoints.tokenUrl === undefined) throw new Error('the provider has no token endpoint')
  return { ...endpoints, tokenUrl: endpoints.tokenUrl }
}

async function discover(
  http: HttpDeps['http'],
  issuer: string,
): Promise<Partial<Endpoints> & Pick<Endpoints, 'usesBasicAuth'>> {
  const url = new URL(issuer)
  const server = await processDiscoveryResponse(url, await discoveryRequest(url, options(http)))
  const methods = server.token_endpoint_auth_methods_supported
  return {
    ...defined({
      tokenUrl: server.token_endpoint,
      authorizeUrl: server.authorization_endpoint,
      userinfoUrl: server.userinfo_endpoint,
      revokeUrl: server.revocation_endpoint,
      issuer: server.issuer,
      requiresIss: server.authorization_response_iss_parameter_supported === true || undefined,
    }),
    // Without a list of methods, OAuth2 clients authenticate in the Authorization header (RFC 8414
    // §2).
    usesBasicAuth: methods === undefined || !methods.includes('client_secret_post'),
  }
}

/**
 * Revokes a token at the OAuth2 provider (RFC 7009). Returns false if the provider has no
 * revocation endpoint.
 *
 * @throws Error if the provider rejects the request or does not respond
 */
export async function revokeToken(
  { http, now = Date.now }: HttpDeps & { now?: () => number },
  app: Application,
  token: string,
): Promise<boolean> {
  const endpoints = await findEndpoints({ http }, app)
  if (endpoints.revokeUrl === undefined) return false
  const client = clientAuthOf(app, endpoints, now())
  await processRevocationResponse(
    await revocationRequest(
      toAuthorizationServer(endpoints),
      toClient(app),
      client,
      token,
      options(http),
    ),
  )
  return true
}

/**
 * Client authentication for OAuth2 requests: by certificate (RFC 7523 §2.2), by client secret, or
 * none. `now` is in epoch milliseconds.
 */
export function clientAuthOf(
  { provider, clientId, clientSecret, serviceKey }: Application,
  { usesBasicAuth, tokenUrl }: Endpoints,
  now: number,
): ClientAuth {
  if (provider === 'outlookService' && serviceKey !== undefined)
    return (_server, _client, body) => {
      body.set('client_id', clientId)
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      body.set('client_assertion', signClientAssertion({ clientId, tokenUrl }, serviceKey, now))
    }
  if (clientSecret === undefined) return None()
  return usesBasicAuth ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret)
}

/** Converts the endpoints of an OAuth2 provider for the OAuth client library. */
export function toAuthorizationServer({
  tokenUrl,
  userinfoUrl,
  revokeUrl,
}: Endpoints): AuthorizationServer {
  return {
    issuer: new URL('/', tokenUrl).href,
    token_endpoint: tokenUrl,
    ...defined({ userinfo_endpoint: userinfoUrl, revocation_endpoint: revokeUrl }),
  }
}

export function toClient({ clientId }: Application): Client {
  return { client_id: clientId }
}

/**
 * Options of the OAuth client library for a request. The library allows plain HTTP, because the
 * egress policy decides about destinations.
 */
export function options(http: HttpDeps['http']) {
  return { [customFetch]: fetchThrough(http), [allowInsecureRequests]: true } as const
}

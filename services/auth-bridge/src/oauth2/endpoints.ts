import type { HttpCaller } from '@posthorn/net'
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi'
import type { Application } from './application.ts'
import { fetchThrough } from './http-fetch.ts'

/** Where an application's provider is. */
export interface Endpoints {
  tokenUrl: string
  authorizeUrl?: string
  userinfoUrl?: string
  revokeUrl?: string
  /** Client id and secret go in a header: the provider takes them in no other way. */
  byBasic: boolean
}

/**
 * The endpoints of an application: those that are known, and those that its issuer tells (OpenID Connect Discovery 1.0).
 *
 * @throws Error where the issuer cannot be asked or names no token endpoint
 */
export async function findEndpoints(
  { http }: { http: Pick<HttpCaller, 'call'> },
  { profile }: Application,
): Promise<Endpoints> {
  const { tokenUrl, authorizeUrl, userinfoUrl, revokeUrl, issuer } = profile
  const known = present({ tokenUrl, authorizeUrl, userinfoUrl, revokeUrl })
  const found = issuer === undefined ? { byBasic: false } : await discover(http, issuer)
  const endpoints = { ...found, ...known }
  if (endpoints.tokenUrl === undefined) throw new Error('the provider has no token endpoint')
  return { ...endpoints, tokenUrl: endpoints.tokenUrl }
}

async function discover(
  http: Pick<HttpCaller, 'call'>,
  issuer: string,
): Promise<Partial<Endpoints> & { byBasic: boolean }> {
  const url = new URL(issuer)
  const options = { [customFetch]: fetchThrough(http), [allowInsecureRequests]: true }
  const server = await processDiscoveryResponse(url, await discoveryRequest(url, options))
  const ways = server.token_endpoint_auth_methods_supported
  return {
    ...present({
      tokenUrl: server.token_endpoint,
      authorizeUrl: server.authorization_endpoint,
      userinfoUrl: server.userinfo_endpoint,
      revokeUrl: server.revocation_endpoint,
    }),
    // RFC 8414 §2: a provider that says nothing takes the header.
    byBasic: ways === undefined || !ways.includes('client_secret_post'),
  }
}

/** As the OAuth client wants them. */
export function serverOf({ tokenUrl, userinfoUrl, revokeUrl }: Endpoints): AuthorizationServer {
  return {
    issuer: new URL('/', tokenUrl).href,
    token_endpoint: tokenUrl,
    ...(userinfoUrl === undefined ? {} : { userinfo_endpoint: userinfoUrl }),
    ...(revokeUrl === undefined ? {} : { revocation_endpoint: revokeUrl }),
  }
}

export function clientOf({ clientId }: Application): Client {
  return { client_id: clientId }
}

function present<T extends Record<string, string | undefined>>(members: T) {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: string }
}

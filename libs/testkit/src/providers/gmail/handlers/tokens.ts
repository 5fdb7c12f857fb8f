import type { ProviderHandler } from '../../provider-fake.ts'
import type { ProviderResponse } from '../../requests.ts'
import type { FakeGrant, GmailState } from '../gmail-state.ts'

/**
 * Handlers of Google's token endpoint and revocation. Accepts refresh tokens, and assertions of
 * service accounts without checking them.
 */
export function tokenHandlers(gmail: GmailState): Record<string, ProviderHandler> {
  return {
    token: ({ raw }) => {
      const form = new URLSearchParams(raw.toString())
      const isAssertion = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
      const grant = isAssertion
        ? assertedGrant(gmail, form.get('assertion') ?? '')
        : gmail.refreshTokens.get(form.get('refresh_token') ?? '')
      if (!grant) return refused('Token has been expired or revoked.')
      const accessToken = gmail.grant(grant.address, grant.scopes, grant.project)
      const scope = grant.scopes.join(' ')
      // The response of Google's token endpoint contains no refresh token, because the old refresh
      // token stays valid.
      const body = { access_token: accessToken, expires_in: 3_599, scope, token_type: 'Bearer' }
      return { body }
    },
    revoke: ({ raw }) => {
      const token = new URLSearchParams(raw.toString()).get('token') ?? ''
      const grant = gmail.refreshTokens.get(token) ?? gmail.tokens.get(token)
      if (!grant) return { status: 400, body: { error: 'invalid_token' } }
      for (const tokens of [gmail.refreshTokens, gmail.tokens])
        for (const [key, { address }] of tokens) if (address === grant.address) tokens.delete(key)
      return { body: {} }
    },
  }
}

/**
 * Access that the assertion of a service account grants to a mailbox. The service account itself
 * has no mailbox.
 */
function assertedGrant(gmail: GmailState, assertion: string): FakeGrant | undefined {
  const [, claims = ''] = assertion.split('.')
  const {
    iss,
    sub = iss,
    scope,
  } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as {
    iss?: string
    sub?: string
    scope?: string
  }
  const address = gmail.aliases.get(sub ?? '') ?? sub
  const isGranted = address !== undefined && (sub === iss || gmail.mailboxes.has(address))
  return isGranted ? { address, scopes: scope?.split(' ') ?? [] } : undefined
}

function refused(description: string): ProviderResponse {
  return { status: 400, body: { error: 'invalid_grant', error_description: description } }
}

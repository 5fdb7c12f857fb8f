import { randomUUID } from 'node:crypto'
import type { ProviderRequest, ProviderResponse } from '../requests.ts'

/** Error codes of Microsoft's token endpoint, with their HTTP status and OAuth2 error. */
const errors: Record<number, [status: number, error: string]> = {
  70008: [400, 'invalid_grant'],
  700082: [400, 'invalid_grant'],
  50173: [400, 'invalid_grant'],
  65001: [400, 'invalid_grant'],
  50076: [400, 'interaction_required'],
  53003: [400, 'interaction_required'],
  7000215: [401, 'invalid_client'],
  7000222: [401, 'invalid_client'],
  700016: [400, 'unauthorized_client'],
  70011: [400, 'invalid_scope'],
  90033: [503, 'temporarily_unavailable'],
}

/**
 * Token endpoint of Microsoft for all tenants. Each response has a new refresh token, and the old
 * refresh token stays valid.
 */
export class FakeTokens {
  /**
   * Error code of the next responses of Microsoft's token endpoint, such as 700082. Undefined for
   * successful responses.
   */
  failure: number | undefined
  /** Access tokens that the Graph fake accepts. Undefined if every token is accepted. */
  accepted: Set<string> | undefined

  respond({ raw }: ProviderRequest): ProviderResponse {
    if (this.failure !== undefined) return failed(this.failure)
    const form = new URLSearchParams(raw.toString())
    const token = `eyJ0.${randomUUID()}`
    this.accepted?.add(token)
    const isUser = form.get('grant_type') !== 'client_credentials'
    return {
      body: {
        token_type: 'Bearer',
        scope: form.get('scope') ?? 'https://graph.microsoft.com/.default',
        expires_in: 4_321,
        ext_expires_in: 4_321,
        access_token: token,
        ...(isUser && { refresh_token: `0.A${randomUUID()}` }),
      },
    }
  }
}

function failed(code: number): ProviderResponse {
  const [status, error] = errors[code] ?? [400, 'invalid_grant']
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${code}: The request failed.\r\nTrace ID: t\r\nCorrelation ID: c`,
      error_codes: [code],
      timestamp: '2026-09-01 10:00:00Z',
      trace_id: 't',
      correlation_id: 'c',
      error_uri: `https://login.microsoftonline.com/error?code=${code}`,
    },
  }
}

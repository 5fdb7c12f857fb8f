import { type CommandHandler, on } from '@posthorn/bus'
import {
  completeOAuth2Login,
  revokeOAuth2Grant,
  startOAuth2Login,
} from '@posthorn/contracts/commands/oauth2-login'
import type { CommandRequest } from '@posthorn/contracts/define'
import { AppError } from '@posthorn/errors'

/** Decision of a user on the consent page of the fake OAuth2 provider. */
export interface Consent {
  user: string
  name?: string
  unverified?: true
  missingScopes?: string[]
  /**
   * Error of the exchange of the authorization code for tokens. With an error, the fake provider
   * returns no OAuth2 grant.
   */
  error?: AppError
}

export interface ProviderStub {
  handlers: CommandHandler[]
  started: CommandRequest<typeof startOAuth2Login>[]
  completed: CommandRequest<typeof completeOAuth2Login>[]
  revoked: CommandRequest<typeof revokeOAuth2Grant>[]
  /** Records the consent of a user at the fake provider and returns the authorization code. */
  consent(consent: Consent): string
  /** Error with which each start of an OAuth2 sign-in fails; undefined if sign-ins can start. */
  startError?: AppError | undefined
  /** Issuer of the OAuth2 provider, and whether each callback has to name the issuer. */
  issuer: { issuer?: string; requiresIss?: true }
}

/**
 * Stub of auth-bridge and a provider with a redirect URI. A code is valid once and only with a code
 * verifier.
 */
export function startProviderStub(redirectUri: string): ProviderStub {
  const consents = new Map<string, Consent>()
  const stub: ProviderStub = {
    started: [],
    completed: [],
    revoked: [],
    issuer: {},
    consent(consent) {
      const code = crypto.randomUUID()
      consents.set(code, consent)
      return code
    },
    handlers: [
      on(startOAuth2Login, async (request) => {
        if (stub.startError) throw stub.startError
        stub.started.push(request)
        const { app, state, codeChallenge: code_challenge } = request
        const query = { app, redirect_uri: redirectUri, state, code_challenge }
        const url = `https://provider.example/authorize?${new URLSearchParams(query).toString()}`
        return { url, ...stub.issuer }
      }),
      on(completeOAuth2Login, async (request) => {
        stub.completed.push(request)
        const consent = consents.get(request.code)
        consents.delete(request.code)
        if (!consent) throw new AppError('rejected', 'invalid_grant', { code: 'ETokenRefresh' })
        if (consent.error) throw consent.error
        const { missingScopes = [], ...profile } = consent
        const sealedGrant = `sealed for ${request.account} by ${profile.user}`
        return { ...profile, scopes: [], missingScopes, sealedGrant }
      }),
      on(revokeOAuth2Grant, async (request) => {
        stub.revoked.push(request)
        return { revoked: true }
      }),
    ],
  }
  return stub
}

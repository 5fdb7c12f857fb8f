import { createHash } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  completeOAuth2Login,
  revokeOAuth2Grant,
  startOAuth2Login,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

/** Decision of a user at the provider. */
export interface Consent {
  user: string
  name?: string
  unverified?: true
  missingScopes?: string[]
  /** Failure of the code exchange; no grant is returned. */
  error?: AppError
}

export interface ProviderStub {
  handlers: CommandHandler[]
  started: CommandRequest<typeof startOAuth2Login>[]
  completed: CommandRequest<typeof completeOAuth2Login>[]
  revoked: CommandRequest<typeof revokeOAuth2Grant>[]
  /** Returns the authorization code of a consent. */
  consent(consent: Consent): string
  /** If set, starting a sign-in fails with this error. */
  startError?: AppError | undefined
}

/** Stub of auth-bridge and a provider. A code is valid once and only with its code verifier. */
export function startProviderStub(): ProviderStub {
  const consents = new Map<string, Consent>()
  const stub: ProviderStub = {
    started: [],
    completed: [],
    revoked: [],
    consent(consent) {
      const code = crypto.randomUUID()
      consents.set(code, consent)
      return code
    },
    handlers: [
      on(startOAuth2Login, async (request) => {
        if (stub.startError) throw stub.startError
        stub.started.push(request)
        return { url: `https://provider.example/authorize?state=${request.state}` }
      }),
      on(completeOAuth2Login, async (request) => {
        stub.completed.push(request)
        const consent = consents.get(request.code)
        consents.delete(request.code)
        const challenge = createHash('sha256').update(request.codeVerifier).digest('base64url')
        if (!consent || !stub.started.some(({ codeChallenge }) => codeChallenge === challenge))
          throw new AppError('rejected', 'invalid_grant', { code: 'ETokenRefresh' })
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

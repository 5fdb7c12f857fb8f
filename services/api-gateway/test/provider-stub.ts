import { createHash } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  completeOAuth2Login,
  revokeOAuth2Grant,
  startOAuth2Login,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'

/** What a person does at the provider, by the code it gives: who it is, and which scopes are left out. */
export interface Consent {
  user: string
  name?: string
  unverified?: true
  missingScopes?: string[]
  /** Instead of a grant. */
  error?: AppError
}

export interface ProviderStub {
  handlers: CommandHandler[]
  started: CommandRequest<typeof startOAuth2Login>[]
  completed: CommandRequest<typeof completeOAuth2Login>[]
  revoked: CommandRequest<typeof revokeOAuth2Grant>[]
  /** The code for somebody who consents so. */
  consent(consent: Consent): string
  /** While it is set nobody can be sent there. */
  closed?: AppError | undefined
}

/** auth-bridge and the provider behind it, as far as the gateway sees them. A code is good once, and for its verifier alone. */
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
      on(startOAuth2Login, async (asked) => {
        if (stub.closed) throw stub.closed
        stub.started.push(asked)
        return { url: `https://provider.example/authorize?state=${asked.state}` }
      }),
      on(completeOAuth2Login, async (asked) => {
        stub.completed.push(asked)
        const consent = consents.get(asked.code)
        consents.delete(asked.code)
        const challenge = createHash('sha256').update(asked.codeVerifier).digest('base64url')
        if (!consent || !stub.started.some(({ codeChallenge }) => codeChallenge === challenge))
          throw new AppError('rejected', 'invalid_grant', { code: 'ETokenRefresh' })
        if (consent.error) throw consent.error
        const { missingScopes = [], ...who } = consent
        const sealedGrant = `sealed for ${asked.account} by ${who.user}`
        return { ...who, scopes: [], missingScopes, sealedGrant }
      }),
      on(revokeOAuth2Grant, async (asked) => {
        stub.revoked.push(asked)
        return { revoked: true }
      }),
    ],
  }
  return stub
}

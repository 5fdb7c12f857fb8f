// Types of that part of `oidc-provider` that the test OpenID provider uses. The package has no
// types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Token {
    accountId: string
    scope?: string
  }
  interface Kind<T> {
    find(id: string): Promise<T | undefined>
    revokeByGrantId(grantId: string): Promise<void>
  }
  export interface ProviderGrant {
    jti: string
    accountId: string
    addOIDCScope(scope: string): void
    rejectOIDCScope(scope: string): void
    save(): Promise<string>
    destroy(): Promise<void>
  }
  interface Context {
    oidc: {
      params: Record<string, unknown>
      entities: { Account?: { accountId: string }; Grant?: ProviderGrant }
    }
  }
  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly AccessToken: Kind<Token>
    readonly RefreshToken: Kind<Token>
    readonly Grant: {
      new (of: { accountId: string; clientId: string }): ProviderGrant
      find(id: string): Promise<ProviderGrant | undefined>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    on(
      event: 'grant.success' | 'grant.error' | 'grant.revoked',
      listener: (context: Context) => void,
    ): this
    on(event: 'server_error', listener: (context: Context, error: Error) => void): this
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ params: Record<string, string> }>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
    ): Promise<void>
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  export default class MemoryAdapter {
    constructor(kind: string)
    consume(id: string): Promise<void>
  }
}

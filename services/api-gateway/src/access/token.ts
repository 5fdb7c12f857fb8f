import type { Permissions, Restrictions } from '@posthorn/contracts'

/** What is known of a token; its value is not. */
export interface Token {
  readonly id: string
  /** The only account it may be used for. */
  readonly account: string | null
  readonly scopes: readonly string[]
  readonly restrictions: Restrictions | null
  readonly permissions: Permissions | null
  readonly expiresAt: Date | null
}

/** Who asks. `token` is null where tokens are not required and none was given. */
export interface Caller {
  readonly token: Token | null
  /** The client's IP address. */
  readonly address: string
}

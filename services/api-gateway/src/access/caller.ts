import type { Token } from '../store/tokens.ts'

/** Caller of a request. `token` is null if none is required and none was sent. */
export interface Caller {
  readonly token: Token | null
  /** IP address of the client. */
  readonly address: string
}

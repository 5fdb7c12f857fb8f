import type { Token } from '../store/tokens.ts'

/** Who asks. `token` is null where tokens are not required and none was given. */
export interface Caller {
  readonly token: Token | null
  /** The client's IP address. */
  readonly address: string
}

import { parseObject } from '../parse-object.ts'

/** What a person has given us, as it is sealed: by api-gateway as registered, by us as consented to or renewed. */
export interface StoredGrant {
  accessToken?: string
  refreshToken?: string
  /** Epoch milliseconds; absent where it is not known. */
  expires?: number
  scopes?: string[]
  /** Whom and what the access token was asked for: it is worthless to another. */
  subject?: string
}

/** Reads a grant. What is no grant holds nothing. */
export function readGrant(text: string): StoredGrant {
  return parseObject(text) ?? {}
}

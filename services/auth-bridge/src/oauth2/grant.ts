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
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as StoredGrant) : {}
  } catch {
    return {}
  }
}

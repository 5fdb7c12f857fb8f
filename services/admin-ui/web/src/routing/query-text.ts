/** Query of a page's address: filters and position in a list. All values are texts. */
export type PageQuery = Readonly<Record<string, string>>

/** Reads the query of a page's address. */
export function parseQuery(text: string): PageQuery {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Writes the query of a page's address. Empty values are left out. */
export function formatQuery(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  )
  const text = new URLSearchParams(entries).toString()
  return text === '' ? '' : `?${text}`
}

/**
 * Reads the number of a list's page from an address, where it counts from 1. Wrong numbers count as
 * the first page. The result counts from 0, as the API does.
 */
export function pageOf(query: PageQuery): number {
  const page = Number(query['page'] ?? '1')
  return Number.isSafeInteger(page) && page > 0 ? page - 1 : 0
}

/**
 * Path below `/admin` to which a person returns after sign-in. Addresses of other sites, and pages
 * for people who are not signed in, become the first page.
 */
export function returnPath(value: string | undefined): string {
  const isOwn = value !== undefined && /^\/(?![/\\])/.test(value)
  return isOwn && !/^\/(?:sign-in|set-up|invitation)\b/.test(value) ? value : '/'
}

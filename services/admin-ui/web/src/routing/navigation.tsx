import {
  Link,
  useLocation,
  useMatches,
  useNavigate as useRouterNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PageQuery } from './query-text.ts'

export interface AppLinkProps {
  /** Path of the linked page below `/admin`, with parameters: `/accounts/$account`. */
  to: string
  params?: Readonly<Record<string, string>>
  query?: PageQuery
  className?: string
  /** Value of the link's attribute `data-tone`, by which a stylesheet chooses the color. */
  tone?: string
  /** True if the link is not marked as current on the pages below its page. */
  isExact?: boolean
  /** True if the link is marked as current, otherwise false. Absent: the path decides. */
  isCurrent?: boolean
  children: ReactNode
}

/** Link to an administration page. The link is marked as current on its page. */
export function AppLink(props: AppLinkProps) {
  const { to, params = {}, query = {}, className, tone, isExact = to === '/' } = props
  const { isCurrent, children } = props
  return (
    <Link
      to={to}
      params={params}
      search={query}
      activeOptions={{ exact: isExact, includeSearch: isCurrent !== undefined }}
      {...(isCurrent === true && { 'aria-current': 'page' })}
      {...(className !== undefined && { className })}
      {...(tone !== undefined && { 'data-tone': tone })}
    >
      {children}
    </Link>
  )
}

/**
 * Returns the query of the page's address, and a function that changes members of the query.
 * Another page of a list is a new entry in the browser's history. A changed filter is not.
 */
export function usePageQuery(): [PageQuery, (changes: PageQuery) => void] {
  const query: PageQuery = useSearch({ strict: false })
  const navigate = useRouterNavigate()
  const change = (changes: PageQuery) => {
    const isNextPage = Boolean(changes['page'] || changes['cursor'])
    void navigate({ to: '.', search: { ...query, ...changes }, replace: !isNextPage })
  }
  return [query, change]
}

/** Returns a parameter of the path in the page's address. */
export function usePathParameter(name: string): string {
  const params: Readonly<Record<string, string>> = useParams({ strict: false })
  return params[name] ?? ''
}

/** Page to open, with its parameters and query. */
export interface Target {
  to: string
  params?: Readonly<Record<string, string>>
  query?: PageQuery
  /** True if the back button must not return to the current page. */
  replace?: boolean
}

/** Returns a function that opens an administration page. */
export function useNavigate(): (target: Target) => void {
  const navigate = useRouterNavigate()
  return ({ to, params = {}, query = {}, replace = false }) =>
    void navigate({ to, params, search: query, replace })
}

/** Returns a function that opens the path and query to which a person returns after sign-in. */
export function useReturn(): (path: string) => void {
  const navigate = useRouterNavigate()
  return (path) => {
    const url = new URL(path, globalThis.location.origin)
    void navigate({
      to: url.pathname,
      search: Object.fromEntries(url.searchParams),
      replace: true,
    })
  }
}

/**
 * Returns the path of the shown page, below `/admin`. While another page is loaded, the browser's
 * address already names the other page.
 */
export function useShownPath(): string {
  return useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' })
}

/** Returns the path and query in the browser's address, below `/admin`. */
export function useAddress(): string {
  return useLocation().href
}

import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatQuery, parseQuery } from './query-text.ts'

/** Component of a page in a file of its own, which is loaded when the page is opened. */
export interface LazyPage {
  path: string
  load: () => Promise<Readonly<Record<string, () => ReactNode>>>
  /** Name of the page's component in its file. */
  name: string
}

/** Pages of the application, and the components around them. */
export interface PagesOptions {
  pages: readonly LazyPage[]
  /** Component around all pages. `PageOutlet` stands for the current page. */
  Root: () => ReactNode
  /** Page of all addresses that belong to no other administration page. */
  NotFound: () => ReactNode
  Loading: () => ReactNode
  Failure: (props: ErrorComponentProps) => ReactNode
}

/**
 * Creates the application of the administration pages: its pages, each with a path below `/admin`.
 */
export function createPages({ pages, Root, NotFound, Loading, Failure }: PagesOptions) {
  const root = createRootRoute({ component: Root })
  const routes = pages.map(({ path, load, name }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(load, name),
    }),
  )
  const others = createRoute({ getParentRoute: () => root, path: '$', component: NotFound })
  const router = createRouter({
    routeTree: root.addChildren([...routes, others]),
    basepath: '/admin',
    parseSearch: parseQuery,
    stringifySearch: formatQuery,
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    defaultPendingMs: 200,
    defaultErrorComponent: Failure,
  })
  return () => <RouterProvider router={router} />
}

export { Outlet as PageOutlet }

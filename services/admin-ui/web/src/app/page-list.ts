import type { PageAction } from '../data/rights.ts'

/** Page of the navigation. */
export interface NavigationPage {
  path: string
  title: string
  group: 'Overview' | 'Mail' | 'Webhooks' | 'Access' | 'System'
  /** Letter that opens the page after `g`. */
  letter: string
  /** Action without which the page is hidden. */
  requires?: PageAction
}

/** Pages of the navigation in their order. */
export const navigationPages: readonly NavigationPage[] = [
  { path: '/', title: 'Dashboard', group: 'Overview', letter: 'd' },
  { path: '/accounts', title: 'Accounts', group: 'Mail', letter: 'a' },
  { path: '/outbox', title: 'Outbox', group: 'Mail', letter: 'o' },
  { path: '/deliveries', title: 'Deliveries', group: 'Webhooks', letter: 'w' },
  { path: '/tokens', title: 'Tokens', group: 'Access', letter: 't', requires: 'readSettings' },
  {
    path: '/people',
    title: 'People',
    group: 'Access',
    letter: 'p',
    requires: 'managePeople',
  },
  {
    path: '/invitations',
    title: 'Invitations',
    group: 'Access',
    letter: 'i',
    requires: 'managePeople',
  },
  { path: '/sessions', title: 'Sessions', group: 'Access', letter: 's', requires: 'managePeople' },
  { path: '/audit', title: 'Audit log', group: 'Access', letter: 'l', requires: 'readAudit' },
  {
    path: '/workers',
    title: 'Workers',
    group: 'System',
    letter: 'k',
    requires: 'readWorkers',
  },
  {
    path: '/settings',
    title: 'Settings',
    group: 'System',
    letter: 'e',
    requires: 'readSettings',
  },
  { path: '/about', title: 'About', group: 'System', letter: 'b' },
]

/** Titles of the pages that the navigation does not list. */
const otherTitles: Readonly<Record<string, string>> = {
  '/sign-in': 'Sign in',
  '/set-up': 'Set up',
  '/invitation': 'Invitation',
  '/profile': 'Your profile',
  '/accounts/add': 'Add an account',
}

/** Paths that are shown without a session. */
const publicPaths = new Set(['/sign-in', '/set-up', '/invitation'])

export function isPublicPath(path: string): boolean {
  return publicPaths.has(path)
}

/** One step of the path to a page, as the page's head shows the path. */
export interface Crumb {
  title: string
  /** Absent for the current page. */
  path?: string
}

/** Steps to a page: `Accounts`, `anna`. The last step is the title of the page. */
export function crumbsOf(path: string): readonly Crumb[] {
  const own = titleOf(path)
  if (path.startsWith('/accounts/'))
    return [
      { title: 'Accounts', path: '/accounts' },
      { title: own ?? decodeURIComponent(path.slice('/accounts/'.length)) },
    ]
  return [{ title: own ?? 'Page not found' }]
}

function titleOf(path: string): string | undefined {
  return navigationPages.find((page) => page.path === path)?.title ?? otherTitles[path]
}

/** Title of the document: the page before the product, so that tabs can be told apart. */
export function documentTitle(path: string): string {
  const steps = crumbsOf(path).map(({ title }) => title)
  return [...steps.toReversed(), 'Posthorn'].join(' · ')
}

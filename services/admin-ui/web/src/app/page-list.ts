import type { PageAction } from '../data/rights.ts'

/** Administration page that the navigation lists. */
export interface NavigationPage {
  path: string
  title: string
  group: 'Overview' | 'Mail' | 'Webhooks' | 'Access' | 'System'
  /** Letter that opens the administration page when the letter is pressed after `g`. */
  letter: string
  /**
   * Action that the page needs. The page is hidden from people whose role may not do the action.
   */
  requires?: PageAction
}

/** Administration pages that the navigation lists, in their order. */
export const navigationPages: readonly NavigationPage[] = [
  { path: '/', title: 'Dashboard', group: 'Overview', letter: 'd' },
  { path: '/events', title: 'Events', group: 'Overview', letter: 'v' },
  { path: '/accounts', title: 'Accounts', group: 'Mail', letter: 'a' },
  { path: '/outbox', title: 'Outbox', group: 'Mail', letter: 'o' },
  { path: '/gateways', title: 'Gateways', group: 'Mail', letter: 'g', requires: 'readGateways' },
  {
    path: '/blocklists',
    title: 'Blocklists',
    group: 'Mail',
    letter: 'n',
    requires: 'readBlocklists',
  },
  { path: '/exports', title: 'Exports', group: 'Mail', letter: 'x', requires: 'readExports' },
  {
    path: '/templates',
    title: 'Templates',
    group: 'Mail',
    letter: 'm',
    requires: 'readTemplates',
  },
  { path: '/targets', title: 'Targets', group: 'Webhooks', letter: 'h' },
  { path: '/deliveries', title: 'Deliveries', group: 'Webhooks', letter: 'w' },
  { path: '/routes', title: 'Routes', group: 'Webhooks', letter: 'r', requires: 'readRoutes' },
  { path: '/tokens', title: 'Tokens', group: 'Access', letter: 't', requires: 'readSettings' },
  {
    path: '/oauth2',
    title: 'OAuth2 applications',
    group: 'Access',
    letter: 'c',
    requires: 'readOAuth2Apps',
  },
  { path: '/people', title: 'People', group: 'Access', letter: 'p', requires: 'managePeople' },
  {
    path: '/invitations',
    title: 'Invitations',
    group: 'Access',
    letter: 'i',
    requires: 'managePeople',
  },
  { path: '/sessions', title: 'Sessions', group: 'Access', letter: 's', requires: 'managePeople' },
  { path: '/audit', title: 'Audit log', group: 'Access', letter: 'l', requires: 'readAudit' },
  { path: '/workers', title: 'Workers', group: 'System', letter: 'k', requires: 'readWorkers' },
  { path: '/queues', title: 'Queues', group: 'System', letter: 'q', requires: 'readQueues' },
  {
    path: '/mail-proxies',
    title: 'Mail proxies',
    group: 'System',
    letter: 'y',
    requires: 'readSettings',
  },
  { path: '/settings', title: 'Settings', group: 'System', letter: 'e', requires: 'readSettings' },
  { path: '/about', title: 'About', group: 'System', letter: 'b' },
]

/** Titles of the administration pages that the navigation does not list. */
const otherTitles: Readonly<Record<string, string>> = {
  '/sign-in': 'Sign in',
  '/set-up': 'Set up',
  '/invitation': 'Invitation',
  '/profile': 'Your profile',
}

/** Page with a form that creates an entry of a list. */
interface CreatePage {
  title: string
  /** Path of the page with the list to which the form adds an entry. */
  list: string
  /** Action that the page needs. People whose role may not do the action do not see the form. */
  requires: PageAction
}

/** Pages that create an entry of a list, by their paths. */
const createPages: Readonly<Record<string, CreatePage>> = {
  '/add-account': { title: 'Add an account', list: '/accounts', requires: 'changeAccounts' },
  '/add-gateway': { title: 'Add a gateway', list: '/gateways', requires: 'changeGateways' },
  '/add-oauth2-app': {
    title: 'Add an OAuth2 application',
    list: '/oauth2',
    requires: 'changeOAuth2Apps',
  },
  '/create-route': { title: 'Create a route', list: '/routes', requires: 'changeRoutes' },
  '/create-template': {
    title: 'Create a template',
    list: '/templates',
    requires: 'changeTemplates',
  },
  '/create-token': { title: 'Create a token', list: '/tokens', requires: 'changeTokens' },
}

/**
 * Action that people must be permitted to do to see a page. Undefined for all pages that create no
 * entry of a list: without a right, these pages show the error of the server.
 */
export function requiredAction(path: string): PageAction | undefined {
  return createPages[path]?.requires
}

/** Pages of the navigation that a person with the rights may open. */
export function permittedPages(may: (action: PageAction) => boolean): readonly NavigationPage[] {
  return navigationPages.filter(({ requires }) => requires === undefined || may(requires))
}

/** Paths of the administration pages that are shown without a session. */
const publicPaths = new Set(['/sign-in', '/set-up', '/invitation'])

/** True if an administration page is shown without a session. */
export function isPublicPath(path: string): boolean {
  return publicPaths.has(path)
}

/** Step of the path to a page (breadcrumb), which the head of the page shows. */
export interface Crumb {
  title: string
  /** Path of the page to which the step links. Absent for the current page. */
  path?: string
}

/**
 * Steps of the path to a page (breadcrumbs): `Accounts`, `anna`. The last step is the title of the
 * page.
 */
export function crumbsOf(path: string): readonly Crumb[] {
  const own = titleOf(path)
  if (path.startsWith('/accounts/')) return accountCrumbs(path)
  const parent = createPages[path]?.list ?? listPaths.find((list) => path.startsWith(`${list}/`))
  if (parent !== undefined)
    return [
      { title: titleOf(parent) ?? parent, path: parent },
      { title: own ?? decodeSegment(path.slice(parent.length + 1)) },
    ]
  if (path.startsWith('/events/')) return [{ title: 'Events', path: '/events' }, { title: 'Event' }]
  return [{ title: own ?? 'Page not found' }]
}

/** Titles of the sub-pages of an account, by the last segment of their paths. */
const accountTitles: Readonly<Record<string, string>> = {
  mail: 'Mail',
  settings: 'Settings',
  mailboxes: 'Mailboxes',
  log: 'Protocol log',
}

/** Steps of the path to the page of an account, to a sub-page or to a message. */
function accountCrumbs(path: string): readonly Crumb[] {
  const [account = '', part, ...rest] = path.slice('/accounts/'.length).split('/')
  const list = { title: 'Accounts', path: '/accounts' }
  if (part === undefined) return [list, { title: decodeSegment(account) }]
  const title = accountTitles[part]
  if (title === undefined || rest.length > 1) return [{ title: 'Page not found' }]
  const steps = [list, { title: decodeSegment(account), path: `/accounts/${account}` }]
  if (rest.length === 0) return [...steps, { title }]
  if (part !== 'mail') return [{ title: 'Page not found' }]
  return [...steps, { title, path: `/accounts/${account}/mail` }, { title: 'Message' }]
}

/** Paths of list pages whose entries have pages of their own. */
const listPaths = ['/gateways', '/blocklists', '/oauth2', '/routes', '/templates']

/** Decodes a segment of a path. A segment that is not valid stays unchanged. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function titleOf(path: string): string | undefined {
  const listed = navigationPages.find((page) => page.path === path)
  return listed?.title ?? createPages[path]?.title ?? otherTitles[path]
}

/** Title of the browser tab: the page before the product, so that tabs can be told apart. */
export function documentTitle(path: string): string {
  const steps = crumbsOf(path).map(({ title }) => title)
  return [...steps.toReversed(), 'Posthorn'].join(' · ')
}

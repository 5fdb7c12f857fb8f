import { ErrorBox } from '../kit/states/error-box.tsx'
import { Skeleton } from '../kit/states/skeleton.tsx'
import { createPages, type LazyPage } from '../routing/create-pages.tsx'
import { AppLink } from '../routing/navigation.tsx'
import { Frame } from './frame.tsx'

/** Administration pages with the files of their components. Each page is a script of its own. */
const pages: readonly LazyPage[] = [
  {
    path: '/',
    name: 'DashboardPage',
    load: () => import('../pages/dashboard/dashboard-page.tsx'),
  },
  { path: '/events', name: 'EventsPage', load: () => import('../pages/events/events-page.tsx') },
  {
    path: '/events/$event',
    name: 'EventPage',
    load: () => import('../pages/events/event-page.tsx'),
  },
  { path: '/sign-in', name: 'SignInPage', load: () => import('../pages/entry/sign-in-page.tsx') },
  { path: '/set-up', name: 'SetUpPage', load: () => import('../pages/entry/set-up-page.tsx') },
  {
    path: '/invitation',
    name: 'InvitationPage',
    load: () => import('../pages/entry/invitation-page.tsx'),
  },
  {
    path: '/profile',
    name: 'ProfilePage',
    load: () => import('../pages/profile/profile-page.tsx'),
  },
  {
    path: '/accounts',
    name: 'AccountsPage',
    load: () => import('../pages/accounts/accounts-page.tsx'),
  },
  {
    path: '/accounts/add',
    name: 'AddAccountPage',
    load: () => import('../pages/accounts/add-account-page.tsx'),
  },
  {
    path: '/accounts/$account',
    name: 'AccountPage',
    load: () => import('../pages/accounts/account-page.tsx'),
  },
  { path: '/outbox', name: 'OutboxPage', load: () => import('../pages/mail/outbox-page.tsx') },
  {
    path: '/deliveries',
    name: 'DeliveriesPage',
    load: () => import('../pages/webhooks/deliveries-page.tsx'),
  },
  { path: '/people', name: 'PeoplePage', load: () => import('../pages/access/people-page.tsx') },
  {
    path: '/invitations',
    name: 'InvitationsPage',
    load: () => import('../pages/access/invitations-page.tsx'),
  },
  {
    path: '/sessions',
    name: 'SessionsPage',
    load: () => import('../pages/access/sessions-page.tsx'),
  },
  { path: '/audit', name: 'AuditPage', load: () => import('../pages/access/audit-page.tsx') },
  { path: '/tokens', name: 'TokensPage', load: () => import('../pages/access/tokens-page.tsx') },
  { path: '/workers', name: 'WorkersPage', load: () => import('../pages/system/workers-page.tsx') },
  {
    path: '/settings',
    name: 'SettingsPage',
    load: () => import('../pages/settings/settings-page.tsx'),
  },
  { path: '/about', name: 'AboutPage', load: () => import('../pages/system/about-page.tsx') },
]

function NotFound() {
  return (
    <p>
      There is no page at this address. <AppLink to="/">Open the dashboard.</AppLink>
    </p>
  )
}

const Loading = () => <Skeleton lines={6} />

function Failure({ error, reset }: { error: unknown; reset: () => void }) {
  return <ErrorBox error={error} retry={reset} />
}

/** Application of the administration pages, with its router. */
export const Application = createPages({ pages, Root: Frame, NotFound, Loading, Failure })

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
    path: '/add-account',
    name: 'AddAccountPage',
    load: () => import('../pages/accounts/add-account-page.tsx'),
  },
  {
    path: '/accounts/$account',
    name: 'AccountPage',
    load: () => import('../pages/account/account-page.tsx'),
  },
  {
    path: '/accounts/$account/mail',
    name: 'MailPage',
    load: () => import('../pages/account/mail/mail-page.tsx'),
  },
  {
    path: '/accounts/$account/mail/$message',
    name: 'MessagePage',
    load: () => import('../pages/account/mail/message-page.tsx'),
  },
  {
    path: '/accounts/$account/settings',
    name: 'AccountSettingsPage',
    load: () => import('../pages/account/settings/account-settings-page.tsx'),
  },
  {
    path: '/accounts/$account/mailboxes',
    name: 'MailboxesPage',
    load: () => import('../pages/account/mailboxes/mailboxes-page.tsx'),
  },
  {
    path: '/accounts/$account/log',
    name: 'LogPage',
    load: () => import('../pages/account/log-page.tsx'),
  },
  { path: '/outbox', name: 'OutboxPage', load: () => import('../pages/mail/outbox-page.tsx') },
  {
    path: '/templates',
    name: 'TemplatesPage',
    load: () => import('../pages/templates/templates-page.tsx'),
  },
  {
    path: '/templates/$template',
    name: 'TemplatePage',
    load: () => import('../pages/templates/template-page.tsx'),
  },
  {
    path: '/create-template',
    name: 'CreateTemplatePage',
    load: () => import('../pages/templates/create-template-page.tsx'),
  },
  { path: '/routes', name: 'RoutesPage', load: () => import('../pages/routes/routes-page.tsx') },
  {
    path: '/routes/$route',
    name: 'RoutePage',
    load: () => import('../pages/routes/route-page.tsx'),
  },
  {
    path: '/create-route',
    name: 'CreateRoutePage',
    load: () => import('../pages/routes/create-route-page.tsx'),
  },
  {
    path: '/targets',
    name: 'TargetsPage',
    load: () => import('../pages/webhooks/targets-page.tsx'),
  },
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
  { path: '/tokens', name: 'TokensPage', load: () => import('../pages/tokens/tokens-page.tsx') },
  {
    path: '/create-token',
    name: 'CreateTokenPage',
    load: () => import('../pages/tokens/create-token-page.tsx'),
  },
  {
    path: '/gateways',
    name: 'GatewaysPage',
    load: () => import('../pages/gateways/gateways-page.tsx'),
  },
  {
    path: '/add-gateway',
    name: 'AddGatewayPage',
    load: () => import('../pages/gateways/add-gateway-page.tsx'),
  },
  {
    path: '/gateways/$gateway',
    name: 'GatewayPage',
    load: () => import('../pages/gateways/gateway-page.tsx'),
  },
  {
    path: '/blocklists',
    name: 'BlocklistsPage',
    load: () => import('../pages/blocklists/blocklists-page.tsx'),
  },
  {
    path: '/blocklists/$list',
    name: 'BlocklistPage',
    load: () => import('../pages/blocklists/blocklist-page.tsx'),
  },
  {
    path: '/exports',
    name: 'ExportsPage',
    load: () => import('../pages/exports/exports-page.tsx'),
  },
  {
    path: '/oauth2',
    name: 'OAuth2AppsPage',
    load: () => import('../pages/oauth2/oauth2-apps-page.tsx'),
  },
  {
    path: '/add-oauth2-app',
    name: 'AddOAuth2AppPage',
    load: () => import('../pages/oauth2/add-oauth2-app-page.tsx'),
  },
  {
    path: '/oauth2/$app',
    name: 'OAuth2AppPage',
    load: () => import('../pages/oauth2/oauth2-app-page.tsx'),
  },
  { path: '/workers', name: 'WorkersPage', load: () => import('../pages/system/workers-page.tsx') },
  { path: '/queues', name: 'QueuesPage', load: () => import('../pages/system/queues-page.tsx') },
  {
    path: '/mail-proxies',
    name: 'MailProxiesPage',
    load: () => import('../pages/mail-proxies/mail-proxies-page.tsx'),
  },
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

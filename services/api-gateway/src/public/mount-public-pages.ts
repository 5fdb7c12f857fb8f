import type { Metrics } from '@posthorn/telemetry'
import { type RequestHandler, Router } from 'express'
import type { Config } from '../config.ts'
import { AddressLimiter } from '../access/rate-limits.ts'
import { createAutomatedCheck } from '../automated/automated.ts'
import { type ImapFormDeps, onPerson, onServers, onTest } from './form/imap-form.ts'
import { onChoice } from './form/sign-in-form.ts'
import { type FormOutcome, withFormLink } from './form/with-form-link.ts'
import { createHits } from './hits.ts'
import { mountHomePage } from './home-page.ts'
import { createAddressLimit } from './limit-address.ts'
import { queryOf } from './link-request.ts'
import type { Branding } from './page-layout.ts'
import { onCallback } from './sign-in/callback.ts'
import { mountNotifications, type NotificationDeps } from './notifications/mount-notifications.ts'
import { onClick, onOpen } from './tracking.ts'
import { onListForm, onOneClick, onUnsubscribePage, type UnsubscribeDeps } from './unsubscribe.ts'

/** Objects that the public pages (such as hosted form, tracking links, unsubscribe page) need. */
type PublicDeps = Omit<UnsubscribeDeps & ImapFormDeps, 'branding' | 'count'> &
  Pick<NotificationDeps, 'pushTrust'> & { metrics: Metrics }

export interface PublicPagesOptions extends Omit<PublicDeps, 'trustedProxies' | 'bodyTimeoutMs'> {
  config: Pick<Config, 'adminUrl' | 'crawlerRangesFile' | 'httpServer'> & NotificationDeps['config']
}

/** Mounts the public pages, which need no access token: a signed link authorizes the request. */
export function mountPublicPages(
  stack: AsyncDisposableStack,
  { config, ...options }: PublicPagesOptions,
): Router {
  const { publicBodyTimeoutMs: bodyTimeoutMs, crawlerRangesFile, httpServer } = config
  const deps = { ...options, bodyTimeoutMs, trustedProxies: httpServer.trustedProxies }
  const { settings } = deps
  const requests = deps.metrics.counter({
    name: 'links_total',
    help: 'Requests of links in messages by kind and outcome',
    labels: ['kind', 'outcome'],
  })
  const automated = createAutomatedCheck(crawlerRangesFile)
  const hits = stack.use(
    createHits({
      ...deps,
      automated,
      count: (kind, outcome) => requests.inc({ kind, outcome }),
    }),
  )
  // Fetches the key that signs links in advance, so that the first reader does not wait for the
  // key.
  deps.tasks.run(deps.links.current())
  // Shows pages without branding if the settings cannot be read, because a page without branding is
  // better than no page.
  const branding = (): Promise<Branding> => settings.get().catch(() => ({}))
  const tracking = {
    ...deps,
    hits,
    branding,
    onRejected: (kind: string, outcome: string) => requests.inc({ kind, outcome }),
  }
  const lists = {
    ...deps,
    branding,
    count: (outcome: string) => requests.inc({ kind: 'unsubscribe', outcome }),
  }
  const { maxPublicRequestsPerAddress: maxPerMinute, trustedProxies } = httpServer
  const limiter = new AddressLimiter({ maxPerMinute })
  const limit = createAddressLimit({ limiter, trustedProxies, metrics: deps.metrics })
  const router = Router({ caseSensitive: true, strict: true })
  mountHomePage(router, { adminUrl: config.adminUrl, branding })
  router.get('/open.gif', limit('open'), onOpen(tracking))
  router.get('/redirect', limit('click'), onClick(tracking))
  router.all(['/unsubscribe', '/unsubscribe/address'], limit('unsubscribe'))
  router.get('/unsubscribe', onUnsubscribePage(lists))
  router.post('/unsubscribe', onOneClick(lists))
  router.post('/unsubscribe/address', onListForm(lists))
  router.all(formPaths, limit('form'))
  mountForm(router, { ...deps, branding })
  router.get('/oauth', limit('callback'))
  mountCallback(router, { ...deps, branding })
  const limitHandshakes = onlyHandshakes(limit('handshake'))
  router.use(mountNotifications(stack, { ...deps, config, limitHandshakes }))
  return router
}

/** Paths of the hosted form. */
const formPaths = [
  '/accounts/new',
  '/accounts/new/imap',
  '/accounts/new/imap/test',
  '/accounts/new/imap/server',
]

/**
 * Applies a rate limit to handshakes of Microsoft Graph only. Notifications have a separate rate
 * limit.
 */
function onlyHandshakes(limit: RequestHandler): RequestHandler {
  return (request, response, next) =>
    queryOf(request).has('validationToken') ? limit(request, response, next) : next()
}

type FormDeps = PublicDeps & { branding: () => Promise<Branding> }

/**
 * Mounts the pages of the hosted form, in which users register an account. Relative paths lead from
 * each page to the folder of `/accounts/new`.
 */
function mountForm(router: Router, formDeps: FormDeps): void {
  const steps = formDeps.metrics.counter({
    name: 'form_steps_total',
    help: 'Requests of the hosted form by outcome',
    labels: ['outcome'],
  })
  const deps = { ...formDeps, count: (outcome: FormOutcome) => steps.inc({ outcome }) }
  router.get('/accounts/new', withFormLink(deps, '', onChoice))
  router.post('/accounts/new/imap', withFormLink(deps, '../', onPerson))
  router.post('/accounts/new/imap/test', withFormLink(deps, '../../', onTest))
  router.post('/accounts/new/imap/server', withFormLink(deps, '../../', onServers))
}

/** Mounts the OAuth2 redirect URI, to which providers redirect browsers after the consent. */
function mountCallback(router: Router, deps: FormDeps): void {
  const signIns = deps.metrics.counter({
    name: 'sign_ins_total',
    help: 'Requests of the OAuth2 redirect URI by outcome',
    labels: ['outcome'],
  })
  router.get('/oauth', onCallback({ ...deps, count: (outcome) => signIns.inc({ outcome }) }))
}

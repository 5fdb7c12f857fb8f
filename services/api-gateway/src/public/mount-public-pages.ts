import type { Bus } from '@posthorn/bus'
import type { Db, SettingsCache } from '@posthorn/db'
import type { LinkKeys } from '@posthorn/links'
import type { Sealer } from '@posthorn/secrets'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { Router } from 'express'
import type { TaskGroup } from '@posthorn/flow'
import type { Autoconfig } from '../autoconfig/autoconfig.ts'
import { createAutomatedCheck } from '../automated/automated.ts'
import { createHostedForm } from './form/open-form.ts'
import { createHits } from './hits.ts'
import type { Branding } from './page-layout.ts'
import { smallBody } from './read-form.ts'
import { onClick, onOpen } from './tracking.ts'
import { onCallback } from './sign-in/callback.ts'
import { onListForm, onOneClick, onUnsubscribePage } from './unsubscribe.ts'

export interface PublicDeps {
  db: Db
  bus: Bus
  log: Logger
  metrics: Metrics
  settings: SettingsCache
  tasks: TaskGroup
  links: LinkKeys
  sealer: Sealer
  autoconfig: Autoconfig
  timeoutMs: number
  trustedProxies: readonly string[]
  crawlerRangesFile: string | undefined
}

/** The pages that links in messages lead to. They ask for no token: the signed link is the right to them. */
export function mountPublicPages(stack: AsyncDisposableStack, deps: PublicDeps): Router {
  const { settings } = deps
  const served = deps.metrics.counter({
    name: 'links_total',
    help: 'Requests of links in messages by what became of them',
    labels: ['kind', 'outcome'],
  })
  const automated = createAutomatedCheck(deps.crawlerRangesFile)
  const hits = stack.use(
    createHits({
      ...deps,
      automated,
      count: (kind, outcome, by = 1) => served.inc({ kind, outcome }, by),
    }),
  )
  // Asked for now, lest the first reader waits.
  deps.tasks.run(deps.links.current())
  const branding = () => readBranding(settings)
  const tracking = {
    ...deps,
    hits,
    branding,
    onRejected: (kind: string, outcome: string) => served.inc({ kind, outcome }),
  }
  const lists = {
    ...deps,
    branding,
    count: (outcome: string) => served.inc({ kind: 'unsubscribe', outcome }),
  }
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/open.gif', onOpen(tracking))
  router.get('/redirect', onClick(tracking))
  router.get('/unsubscribe', onUnsubscribePage(lists))
  router.post('/unsubscribe', smallBody, onOneClick(lists))
  router.post('/unsubscribe/address', smallBody, onListForm(lists))
  mountForms(router, { ...deps, branding })
  return router
}

type FormsDeps = PublicDeps & { branding: () => Promise<Branding> }

/** The hosted form, and where providers send people back to. */
function mountForms(router: Router, deps: FormsDeps): void {
  const steps = deps.metrics.counter({
    name: 'form_steps_total',
    help: 'Requests of the hosted form by what became of them',
    labels: ['outcome'],
  })
  const signIns = deps.metrics.counter({
    name: 'sign_ins_total',
    help: 'People that came back from a provider by what became of it',
    labels: ['outcome'],
  })
  router.use(createHostedForm({ ...deps, count: (outcome) => steps.inc({ outcome }) }))
  router.get('/oauth', onCallback({ ...deps, count: (outcome) => signIns.inc({ outcome }) }))
}

/** A page without its adornments is better than none. */
function readBranding(settings: SettingsCache): Promise<Branding> {
  return settings.get().catch(() => ({}))
}

import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, isFullFaultRun, testBrowser } from '@posthorn/testkit'
import { untilConnected, type World } from '../world.ts'
import {
  type AdminWorld,
  callFromPage,
  type Page,
  setUpOwner,
  startAdminWorld,
} from './admin-world.ts'
import {
  clippedElements,
  findingsInThemes,
  newFindingsInThemes,
  openPageWindow,
  type PageWindow,
  scrollingTables,
  untilLoaded,
} from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of the visit of all administration pages, on a busy machine. */
const visitTimeoutMs = 1_200_000
const wide = { width: 1280, height: 900 }
/** Window width at which administration pages must not scroll sideways (WCAG 1.4.10). */
const narrow = { width: 320, height: 900 }
/** Maximum requests and bytes of the first view of an administration page. */
const maxRequests = 15
const maxBytes = 260_000
/** Maximum bytes of the first view of an administration page with an editor. */
const maxEditorBytes = maxBytes + 140_000
const editorPages = /^\/(?:(?:templates|routes)\/|create-(?:template|route))/
const maxShift = 0.05

/** Administration pages with the headings at which their content is complete. */
const pages: readonly (readonly [path: string, title: string])[] = [
  ['/', 'Dashboard'],
  ['/events', 'Events'],
  ['/events?account=nothing', 'Events'],
  ['/events?event=accountAdded&live=1', 'Events'],
  ['/accounts', 'Accounts'],
  ['/accounts?state=authenticationError', 'Accounts'],
  ['/accounts?query=nothing-has-this-name', 'Accounts'],
  ['/add-account', 'Add an account'],
  ['/accounts/jane', 'jane'],
  ['/accounts/failing', 'failing'],
  ['/accounts/jane/mail', 'Mail'],
  ['/accounts/jane/settings', 'Settings'],
  ['/accounts/jane/mailboxes', 'Mailboxes'],
  ['/accounts/jane/log', 'Protocol log'],
  ['/outbox', 'Outbox'],
  ['/outbox?account=nothing', 'Outbox'],
  ['/gateways', 'Gateways'],
  ['/add-gateway', 'Add a gateway'],
  ['/gateways/relay', 'relay'],
  ['/blocklists', 'Blocklists'],
  ['/blocklists/news.example', 'news.example'],
  ['/blocklists/nothing', 'nothing'],
  ['/exports', 'Exports'],
  ['/exports?account=nothing&status=failed', 'Exports'],
  ['/targets', 'Targets'],
  ['/targets?address=nothing', 'Targets'],
  ['/deliveries', 'Deliveries'],
  ['/deliveries?state=failed', 'Deliveries'],
  ['/deliveries?account=nothing', 'Deliveries'],
  ['/templates', 'Templates'],
  ['/templates?account=jane', 'Templates'],
  ['/templates/welcome', 'welcome'],
  ['/create-template', 'Create a template'],
  ['/routes', 'Routes'],
  ['/routes?page=9', 'Routes'],
  ['/routes/chat', 'chat'],
  ['/create-route', 'Create a route'],
  ['/tokens', 'Tokens'],
  ['/create-token', 'Create a token'],
  ['/oauth2', 'OAuth2 applications'],
  ['/oauth2?provider=generic', 'OAuth2 applications'],
  ['/add-oauth2-app', 'Add an OAuth2 application'],
  ['/oauth2/crm', 'crm'],
  ['/people', 'People'],
  ['/invitations', 'Invitations'],
  ['/sessions', 'Sessions'],
  ['/audit', 'Audit log'],
  ['/workers', 'Workers'],
  ['/queues', 'Queues'],
  ['/mail-proxies', 'Mail proxies'],
  ['/settings', 'Settings'],
  ['/about', 'About'],
  ['/profile', 'Your profile'],
  ['/nothing', 'Page not found'],
]
/** Administration pages that are shown without a session. */
const publicPages: readonly (readonly [path: string, title: string])[] = [
  ['/sign-in', 'Sign in'],
  ['/set-up#token=wrong-but-of-the-right-length-0123456789', 'Set up'],
  ['/set-up', 'Set up'],
  ['/invitation#token=wrong-but-of-the-right-length-0123456789', 'Invitation'],
]

/**
 * Number of accounts beside `jane` and `failing`, so that the list of accounts has several pages.
 */
const others = 198

/** Starts the system with accounts in several states, failed deliveries and held messages. */
async function openStage() {
  const world = stack.use(
    await startAdminWorld(['auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'], {
      settings: { webhooksRetrySchedule: [] },
    }),
  )
  const { posthorn, mail, receiver } = world
  receiver.replyWith(() => ({ status: 500 }))
  await createTexts(world)
  const user = mail.freshUser()
  await world.register('jane', user)
  await untilConnected(world, 'jane')
  await world.register('failing', { ...mail.freshUser(), pass: 'wrong' })
  const numbers = Array.from({ length: others }, (_, n) => n)
  const add = (n: number) =>
    posthorn.createAccount({ body: { account: `other-${n}`, name: `Person ${n}` } })
  while (numbers.length > 0) await Promise.all(numbers.splice(0, 20).map(add))
  await addEntries(posthorn)
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  for (const subject of ['First', 'Second']) {
    const body = { to: [{ address: user.address }], subject, text: 'Hello', sendAt }
    const { queueId = '' } = await posthorn.submitMessage({ account: 'jane', body })
    if (subject === 'First') await posthorn.holdOutboxEntry({ queueId })
  }
  await eventually(async () => {
    const { state } = await posthorn.getAccount({ account: 'failing' })
    const { deliveries } = await posthorn.listWebhookDeliveries({ state: 'failed' })
    const { errors } = await posthorn.listWebhookRouteErrors({ webhookRoute: 'chat' })
    return state === 'authenticationError' && deliveries.length > 0 && errors.length > 0
  })
  const browser = stack.use(await testBrowser())
  return { world, browser }
}

/** Adds an entry to each list of the administration pages that is otherwise empty. */
async function addEntries(posthorn: World['posthorn']): Promise<void> {
  const redirectUrl = 'https://mail.example/oauth'
  const client = { clientId: 'client', clientSecret: 'secret', redirectUrl }
  await posthorn.createOAuth2App({
    body: { id: 'crm', name: 'CRM', provider: 'gmail', baseScopes: 'api', ...client },
  })
  const relay = { host: 'relay.example', port: 587, user: 'mailer', pass: 'secret' }
  await posthorn.createGateway({ body: { gateway: 'relay', name: 'Relay', ...relay } })
  const block = { account: 'jane', recipient: 'ben@example.com' }
  await posthorn.addToBlocklist({ listId: 'news.example', body: block })
  const period = { startDate: '2020-01-01T00:00:00Z', endDate: '2100-01-01T00:00:00Z' }
  for (const account of ['jane', 'failing']) await posthorn.createExport({ account, body: period })
}

const stage = hasBrowser() ? await openStage() : undefined

/** Creates a template, and a webhook route whose map function fails for each event. */
async function createTexts({ posthorn, receiver }: AdminWorld): Promise<void> {
  const content = {
    subject: 'Welcome, {{params.name}}',
    text: 'Hello {{params.name}}',
    html: '<p class="hello">Hello <b>{{params.name}}</b></p>',
  }
  await posthorn.createTemplate({
    body: { id: 'welcome', account: null, name: 'Welcome', content },
  })
  const map = "// Always fails.\nthrow new Error('no text: ' + 1)"
  await posthorn.createWebhookRoute({
    body: { id: 'chat', name: 'Chat', targetUrl: receiver.url, content: { map } },
  })
}

/**
 * Opens a browser window. In `make test-faults`, the window loads all files of each page again; the
 * numbers of requests and bytes include files of the browser's cache.
 */
async function openWindow(): Promise<PageWindow> {
  if (!stage) throw new Error('no browser')
  const window = await openPageWindow(stage.browser, wide, stage.world.pagesUrl)
  await window.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (isFullFaultRun) await window.disableCache()
  return window
}

/**
 * Invites a person from the administration page of the owner. Returns the path of the invitation
 * link below `/admin`.
 */
async function invite(page: Page, email: string): Promise<string> {
  const { body } = await callFromPage(page, {
    method: 'POST',
    path: '/admin/people/invitations',
    body: { email, role: 'support' },
  })
  return String(body['link']).replace(/^.*\/admin/, '')
}

/** Visits administration pages in a window. Returns the problems of the pages. */
async function visit(window: PageWindow, list: typeof pages): Promise<string[]> {
  const problems: string[] = []
  for (const [path, title] of list) {
    const findings = await firstView(window, path)
    findings.push(...(await contentFindings(window.page, title)), ...(await window.violations()))
    problems.push(...findings.map((text) => `${path} ${text}`))
  }
  return [...problems, ...window.errors(), ...window.foreignRequests]
}

/**
 * Loads an administration page. Returns the limits that the page exceeded: requests, bytes of
 * scripts and styles, layout shifts.
 */
async function firstView(window: PageWindow, path: string): Promise<string[]> {
  const { page } = window
  await page.setViewportSize(wide)
  // If only the fragment of a URL changes, the browser loads nothing.
  await page.goto('about:blank')
  window.takeRequests()
  await page.goto(`${stage?.world.pagesUrl}/admin${path}`)
  await untilLoaded(page)
  const requests = window.takeRequests()
  const bytes = await page.evaluate<number>(`performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/assets/'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
  expect(bytes).toBeGreaterThan(10_000)
  const shift = await window.layoutShift()
  return [
    ...(requests.length > maxRequests ? [`sends ${requests.join()}`] : []),
    ...(bytes > (editorPages.test(path) ? maxEditorBytes : maxBytes) ? [`loads ${bytes} B`] : []),
    ...(shift > maxShift ? [`shifts by ${shift}`] : []),
  ]
}

/**
 * Findings on the titles, the width and the accessibility of an administration page, in a wide and
 * a narrow window. `make test` checks the colours of elements with new looks only. It checks the
 * structure in the narrow window, and in the wide window if an element has a new look.
 */
async function contentFindings(page: Page, title: string): Promise<string[]> {
  const findings: string[] = []
  const headings = await page.locator('h1').allTextContents()
  if (headings.join() !== title) findings.push(`has the headings ${headings.join()}`)
  const documentTitle = await page.title()
  if (!documentTitle.startsWith(title)) findings.push(`has the title ${documentTitle}`)
  for (const size of [wide, narrow]) {
    await page.setViewportSize(size)
    // A new window size starts transitions of widths. axe waits for the end of all transitions, so
    // the page is measured after axe has run.
    const inThemes = isFullFaultRun
      ? await findingsInThemes(page)
      : await newFindingsInThemes(page, size === narrow)
    findings.push(...inThemes.map((text) => `${size.width} px ${text}`))
    const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (excess > 0) findings.push(`${size.width} px: is ${excess} px too wide`)
    const clipped = await clippedElements(page)
    findings.push(...clipped.map((text) => `${size.width} px: cuts off ${text}`))
    const scrolling = await scrollingTables(page)
    findings.push(...scrolling.map((text) => `${size.width} px: scrolls the table ${text}`))
  }
  return findings
}

testInBrowser(
  'pages, 1280 and 320 px wide: are accessible in both themes, fast, and without errors',
  async () => {
    if (!stage) throw new Error('no browser')
    const [open, own] = [await openWindow(), await openWindow()]
    await setUpOwner(own.page, stage.world)
    const { events } = await stage.world.posthorn.listEvents()
    const event = [`/events/${events[0]?.id ?? ''}`, 'Event'] as const
    const invitation = [await invite(own.page, 'invited@example.com'), 'Invitation'] as const
    expect(await visit(open, [...publicPages, invitation])).toEqual([])
    expect(await visit(own, [...pages, event])).toEqual([])
  },
  visitTimeoutMs,
)

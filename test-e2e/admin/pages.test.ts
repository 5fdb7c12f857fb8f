import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { untilConnected, type World } from '../world.ts'
import {
  type AdminWorld,
  callFromPage,
  type Page,
  setUpOwner,
  startAdminWorld,
} from './admin-world.ts'
import { openPageWindow, type PageWindow, seriousFindings, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test that visits all administration pages, on a busy machine. */
const visitTimeoutMs = 600_000
const widths = [1280, 375] as const
const themes = ['light', 'dark'] as const
/** Maximum requests and bytes of the first view of an administration page. */
const maxRequests = 15
const maxBytes = 260_000
/** Maximum bytes of the first view of a page with an editor. */
const maxEditorBytes = maxBytes + 140_000
const editorPages = /^\/(?:(?:templates|routes)\/|create-)/
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
  for (let n = 0; n < others; n++)
    await posthorn.createAccount({ body: { account: `other-${n}`, name: `Person ${n}` } })
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

/** Adds an entry to each list that is otherwise empty. */
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

/** Cookies of the owner's session, once a window has created the owner. */
let cookies: Awaited<ReturnType<ReturnType<Page['context']>['cookies']>> | undefined
/**
 * Opens a browser window, in which the owner is signed in if `isSignedIn`. The first window of this
 * kind creates the owner.
 */
async function openWindow(width: number, isSignedIn: boolean): Promise<PageWindow> {
  if (!stage) throw new Error('no browser')
  const { world, browser } = stage
  const window = await openPageWindow(browser, { width, height: 900 }, world.pagesUrl)
  if (!isSignedIn) return window
  if (cookies) {
    await window.page.context().addCookies(cookies)
    await window.page.goto(`${world.pagesUrl}/admin/profile`)
  } else await setUpOwner(window.page, world)
  cookies ??= await window.page.context().cookies()
  return window
}

/** Invites a person by the owner's page. Returns the path of the link below `/admin`. */
async function invite(page: Page, email: string): Promise<string> {
  const { body } = await callFromPage(page, {
    method: 'POST',
    path: '/admin/people/invitations',
    body: { email, role: 'support' },
  })
  return String(body['link']).replace(/^.*\/admin/, '')
}

/** Visits administration pages in a window. Returns the problems of the pages. */
async function visit(
  window: PageWindow,
  list: typeof pages,
  { width, theme }: { width: number; theme: (typeof themes)[number] },
): Promise<string[]> {
  const { page, violations } = window
  const problems: string[] = []
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  for (const [path, title] of list) {
    await page.goto(`${stage?.world.pagesUrl}/admin${path}`)
    // If only the fragment of the address changes, the browser loads nothing.
    if (path.includes('#')) await page.reload()
    await untilLoaded(page)
    const findings = [...(await violations()), ...(await seriousFindings(page))]
    const headings = await page.locator('h1').allTextContents()
    if (headings.join() !== title) findings.push(`the headings are ${headings.join()}`)
    const documentTitle = await page.title()
    if (!documentTitle.startsWith(title)) findings.push(`the title is ${documentTitle}`)
    const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (excess > 0) findings.push(`the page is ${excess} px too wide`)
    problems.push(...findings.map((text) => `${path} ${theme} ${width} px: ${text}`))
  }
  return problems
}

testInBrowser.each(widths)(
  'pages, %i px wide: are accessible in both themes, without errors or horizontal scrolling',
  async (width) => {
    const [open, own] = [await openWindow(width, false), await openWindow(width, true)]
    const problems: string[] = []
    const { events = [] } = (await stage?.world.posthorn.listEvents()) ?? {}
    const event = [`/events/${events[0]?.id ?? ''}`, 'Event'] as const
    const invitation = await invite(own.page, `invited-${width}@example.com`)
    for (const theme of themes) {
      const visited = [...publicPages, [invitation, 'Invitation'] as const]
      problems.push(...(await visit(open, visited, { width, theme })))
      problems.push(...(await visit(own, [...pages, event], { width, theme })))
    }
    for (const window of [open, own])
      problems.push(...window.errors(), ...(await window.violations()), ...window.foreignRequests)
    expect(problems).toEqual([])
  },
  visitTimeoutMs,
)

testInBrowser(
  'first view: few requests, small scripts and styles, a stable layout',
  async () => {
    const exceeded: unknown[] = []
    for (const [path] of pages) {
      const window = await openWindow(1280, true)
      const { page } = window
      await page.goto('about:blank')
      window.takeRequests()
      await page.goto(`${stage?.world.pagesUrl}/admin${path}`)
      await untilLoaded(page)
      const requests = window.takeRequests()
      const bytes = await page.evaluate<number>(`performance.getEntriesByType('resource')
      .filter(({ name }) => /\\/assets\\//.test(name))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
      expect(bytes).toBeGreaterThan(10_000)
      const limit = editorPages.test(path) ? maxEditorBytes : maxBytes
      const shift = await window.layoutShift()
      const isSmall = requests.length <= maxRequests && bytes <= limit
      if (!isSmall || shift > maxShift || window.foreignRequests.length > 0)
        exceeded.push({ path, requests, bytes, shift, foreign: window.foreignRequests })
      await page.context().close()
    }
    expect(exceeded).toEqual([])
  },
  visitTimeoutMs,
)

import { expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import {
  type AdminWorld,
  callFromPage,
  type Page,
  password,
  setUpOwner,
  startAdminWorld,
} from './admin-world.ts'
import { openPageWindow, untilLoaded } from './page-window.ts'
import { ownHeaders, rawCall } from './raw-call.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

/**
 * Markup with a script and the name of the place where it is stored. A page that shows the text is
 * recognized by this name.
 */
const markup = (place: string) =>
  `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>${place}`
/** Account id that contains markup and parts of paths. */
const account = `"><img src=x onerror=window.hacked=1>/a b%2e`
const encoded = encodeURIComponent(account)
const eventId = '3f0c2c1e-6a0b-4d0e-9a53-5f7f0a4f2d11'

/** Administration pages, with the places whose markup they must show as text. */
const pages: readonly (readonly [path: string, places: readonly string[]])[] = [
  ['/', []],
  ['/accounts', ['account name', 'last error']],
  [`/accounts?query=${encodeURIComponent(markup('query'))}`, []],
  [`/accounts/${encoded}`, ['last error', 'error code']],
  [`/accounts/${encoded}/settings`, []],
  [`/accounts/${encoded}/mail`, []],
  [`/accounts/${encoded}/mailboxes`, []],
  [`/accounts/${encoded}/log`, []],
  ['/outbox', ['recipient', 'server response']],
  [`/outbox?account=${encoded}`, ['recipient']],
  ['/targets', ['target', 'delivery error', 'target response']],
  ['/events', ['event name', 'mailbox']],
  [`/events/${eventId}`, ['event name', 'mailbox']],
  ['/deliveries', ['delivery error', 'target']],
  ['/templates', ['template name', 'template description']],
  ['/templates/hostile', ['template name', 'template text', 'template HTML']],
  ['/routes', ['route name', 'delivery error']],
  ['/routes/hostile', ['route name', 'route description', 'filter', 'map', 'route error']],
  ['/tokens', ['token']],
  ['/gateways', ['gateway', 'gateway error']],
  ['/gateways/relay', ['gateway', 'gateway login', 'gateway error']],
  ['/blocklists', []],
  ['/blocklists/news.example', ['block reason']],
  [`/blocklists/${encodeURIComponent(markup('list'))}`, []],
  ['/oauth2', ['application', 'client']],
  ['/oauth2/crm', ['application', 'client']],
  ['/people', ['person']],
  ['/sessions', ['person']],
  ['/audit', ['reason']],
  ['/profile', ['person', 'reason']],
  [`/sign-in?return=${encodeURIComponent('javascript:window.hacked=1')}`, []],
]

testInBrowser('script in texts: stays text on every page', async () => {
  // API calls that need a sync-worker fail soon, because this test system has no sync-worker.
  await using world = await startAdminWorld([], { env: { SVC_TIMEOUT: '2s' } })
  await using browser = await testBrowser()
  const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
  const { page } = window
  await setUpOwner(page, world)
  await storeTexts(world)
  await sendTexts(world, page)
  for (const [path, places] of pages) {
    await page.goto(`${world.pagesUrl}/admin${path}`)
    await untilLoaded(page).catch((cause: unknown) => {
      throw new Error(`${path} does not load`, { cause })
    })
    await eventually(async () => {
      const shown = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')
      const missing = places.filter((place) => !shown.includes(markup(place)))
      expect({ path, missing }).toEqual({ path, missing: [] })
    })
    expect({
      path,
      hacked: await page.evaluate<unknown>('window.hacked'),
      images: await page.locator('img, script:not([src])').count(),
      violations: await window.violations(),
    }).toEqual({ path, hacked: undefined, images: 0, violations: [] })
  }
  await previewTemplate(page, world)
  expect(await window.violations()).toEqual([])
  expect(window.foreignRequests).toEqual([])
})

/** Shows the preview of the template with markup, in which no script may run. */
async function previewTemplate(page: Page, { pagesUrl, posthorn }: AdminWorld): Promise<void> {
  const smtp = { host: 'smtp.example.com', port: 465, auth: { user: 'sender', pass: 'secret' } }
  await posthorn.createAccount({
    body: { account: 'sender', name: 'Sender', email: 'sender@mail.test', smtp },
  })
  await page.goto(`${pagesUrl}/admin/templates/hostile`)
  await untilLoaded(page)
  await page.getByLabel('From account').fill('sender')
  await page.getByLabel('To address').fill('ben@mail.test')
  await page.getByRole('button', { name: 'Show the preview' }).click()
  const frame = page.frameLocator('iframe[title="Preview of the message"]')
  await frame.getByText('template HTML').waitFor()
  const active = frame.locator('script, [onerror], form, meta[http-equiv], iframe')
  expect(await active.count()).toBe(0)
  await page.getByText('Load remote images').click()
  await frame.getByText('template HTML').waitFor()
  expect(await active.count()).toBe(0)
  expect(page.frames().map((each) => new URL(each.url()).pathname)).toContain(
    '/admin/frame/template',
  )
  expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
}

/** Stores texts with markup that come from mail servers, senders and receivers of webhooks. */
async function storeTexts({ posthorn, ownerUrl }: AdminWorld): Promise<void> {
  await posthorn.createAccount({ body: { account, name: markup('account name') } })
  await posthorn.createTokenAlias({
    body: { account, scopes: ['smtp'], description: markup('token') },
  })
  await posthorn.createOAuth2App({
    body: {
      id: 'crm',
      name: markup('application'),
      provider: 'gmail',
      clientId: markup('client'),
      clientSecret: 'secret',
      redirectUrl: 'https://mail.example/oauth',
    },
  })
  await posthorn.createGateway({
    body: {
      gateway: 'relay',
      name: markup('gateway'),
      host: 'relay.example',
      port: 587,
      user: markup('gateway login'),
      pass: 'secret',
    },
  })
  const block = { account, recipient: 'ben@example.com', reason: markup('block reason') }
  await posthorn.addToBlocklist({ listId: 'news.example', body: block })
  await storeSources(posthorn)
  const lastError = {
    description: markup('last error'),
    response: markup('last error'),
    serverResponseCode: markup('error code'),
  }
  await withClient(ownerUrl, async (client) => {
    await client.query(
      `insert into account_states (account, state, last_error)
       values ($1, 'connectError', $2)
       on conflict (account) do update set state = 'connectError', last_error = $2`,
      [account, JSON.stringify(lastError)],
    )
    await client.query(
      `insert into gateway_states (gateway, last_use, last_error) values ('relay', now(), $1)`,
      [JSON.stringify({ created: 0, status: 'error', response: markup('gateway error') })],
    )
    await client.query(
      `insert into outbox (queue_id, account, shard, source, state, message_id, envelope, subject,
         created_at, send_at, next_attempt_at, attempts, last_error)
       values ('q1', $1, 0, 'api', 'queued', '<1@x>', $2, $3, now(), now() + interval '1 day',
         now() + interval '1 day', 1, $4)`,
      [
        account,
        JSON.stringify({ from: 'a@x', to: [markup('recipient')] }),
        markup('subject'),
        JSON.stringify({ message: markup('server response') }),
      ],
    )
    await client.query(
      `insert into webhook_route_states (route, error_flag) values ('hostile', $1)`,
      [markup('delivery error')],
    )
    await client.query(
      `insert into events (event_id, event, account, shard, date, path, body)
       values ($1, $2, $3, 0, now(), $4, '{}')`,
      [eventId, markup('event name'), account, markup('mailbox')],
    )
    await client.query(
      `insert into webhook_route_errors (route, function, reason, event, account, event_id)
       values ('hostile', 'map', $1, 'messageNew', $2, gen_random_uuid())`,
      [markup('route error'), account],
    )
    await client.query(
      `insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane,
         state, attempts, last_outcome, last_error, last_response, last_ended_at, last_duration_ms,
         finished_at)
       values (gen_random_uuid(), gen_random_uuid(), 1, now(), 'messageNew', $1, 'default', $2,
         'failed', 1, 'network', $3, $4, now(), 1, now())`,
      [account, markup('target'), markup('delivery error'), markup('target response')],
    )
  })
}

/** Stores a template and a webhook route whose texts and functions contain markup. */
async function storeSources(posthorn: AdminWorld['posthorn']): Promise<void> {
  const content = {
    subject: markup('template subject'),
    text: markup('template text'),
    html: markup('template HTML'),
  }
  const description = markup('template description')
  await posthorn.createTemplate({
    body: { id: 'hostile', account: null, name: markup('template name'), description, content },
  })
  await posthorn.createWebhookRoute({
    body: {
      id: 'hostile',
      name: markup('route name'),
      description: markup('route description'),
      targetUrl: 'http://127.0.0.1:9/',
      content: { fn: `// ${markup('filter')}`, map: `// ${markup('map')}` },
    },
  })
}

/**
 * Stores texts with markup that come from people: names, reasons, and the User-Agent of a browser.
 */
async function sendTexts({ pagesUrl }: AdminWorld, page: Page): Promise<void> {
  const { body } = await callFromPage(page, { path: '/admin/session' })
  const { id } = body['person'] as { id: string }
  const calls = [
    ['PUT', `/admin/people/${id}`, { name: markup('person'), mayReadMail: true }],
    ['POST', '/admin/session/mail-reading', { reason: markup('reason') }],
    ['PUT', `/admin/call/v1/account/${encoded}/reconnect`, { reconnect: true }],
  ] as const
  const statuses: number[] = []
  for (const [method, path, input] of calls)
    statuses.push((await callFromPage(page, { method, path, body: input })).status)
  expect(statuses).toEqual([204, 200, 200])
  const signedIn = await rawCall(pagesUrl, {
    method: 'POST',
    path: '/admin/session/sign-in',
    headers: { ...ownHeaders(pagesUrl, ''), 'user-agent': markup('browser') },
    body: JSON.stringify({ email: 'owner@example.com', password }),
  })
  expect(signedIn.status).toBe(200)
}

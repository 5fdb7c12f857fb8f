import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { untilConnected } from '../world.ts'
import { callFromPage, join, setUpOwner, startAdminWorld } from './admin-world.ts'
import { KeyboardUser } from './keyboard.ts'
import { openPageWindow, seriousFindings, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test that writes texts in editors, on a busy machine. */
const journeyMs = 300_000
const wide = { width: 1280, height: 900 }

async function openStage() {
  const world = stack.use(
    await startAdminWorld(['auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher']),
  )
  const user = world.mail.freshUser()
  await world.register('jane', user)
  await untilConnected(world, 'jane')
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, wide, world.pagesUrl)
  await setUpOwner(window.page, world)
  return { world, user, browser, window, owner: new KeyboardUser(window.page) }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

type Element = ReturnType<KeyboardUser['page']['locator']>
const hasFocus = (element: Element) =>
  element.evaluate((node) => node === node.ownerDocument.activeElement)
const untilFocused = (element: Element) =>
  eventually(async () => expect(await hasFocus(element)).toBe(true))

/**
 * Moves to a code editor of an administration page and replaces its text. Escape and Tab then leave
 * the editor.
 */
async function write(person: KeyboardUser, label: string, text: string): Promise<void> {
  const { page } = person
  const editor = page.getByRole('textbox', { name: label, exact: true })
  await editor.waitFor()
  await person.tabTo(editor)
  await person.press('Control+a', 'Delete')
  await page.keyboard.insertText(text)
  await person.press('Escape', 'Tab')
  expect(await hasFocus(editor)).toBe(false)
}

testInBrowser(
  'editor: Tab passes it, indents after a change, and leaves it after Escape',
  async () => {
    const { world, owner, window } = opened()
    const { page } = owner
    await page.goto(`${world.pagesUrl}/admin/create-route`)
    await untilLoaded(page)
    const [filter, map] = ['Filter function', 'Map function'].map((name) =>
      page.getByRole('textbox', { name, exact: true }),
    )
    if (!filter || !map) throw new Error('no editors')
    const first = await filter.innerText()
    await owner.tabTo(filter)
    await owner.press('Tab')
    await untilFocused(map)
    await owner.press('Shift+Tab')
    await untilFocused(filter)
    expect(await filter.innerText()).toBe(first)
    // Letters that are shortcuts of the administration pages are text in a code editor.
    await owner.press('g', 'a', 'Tab')
    await eventually(async () => expect((await filter.innerText()).startsWith('  ga')).toBe(true))
    expect(await hasFocus(filter)).toBe(true)
    await owner.press('Escape', 'Tab')
    await untilFocused(map)
    await map.click()
    await owner.press('Tab')
    await untilFocused(map)
    expect(window.errors()).toEqual([])
  },
  journeyMs,
)

testInBrowser(
  'route: is written, tested with a real payload, changed and deleted by keyboard',
  async () => {
    const { world, owner, window } = opened()
    const { page } = owner
    await owner.open('r', 'Routes')
    await owner.tabTo(page.getByRole('link', { name: 'Create a route' }))
    await owner.press('Enter')
    await owner.heading('Create a route')
    await owner.type('Name', 'To the chat')
    await owner.type('Id', 'chat')
    await owner.type('Target URL', 'http://127.0.0.1:9/chat')
    await write(owner, 'Filter function', 'return payload.account === "jane"')
    await write(owner, 'Map function', 'return payload.event.')
    await owner.activate('Create the route')
    await page.getByText('"content.map" is not the body of a function').waitFor()
    const source = 'logger.info("event", payload.event)\nreturn { text: payload.event }'
    await write(owner, 'Map function', source)

    await owner.activate('Run the test')
    await page.getByText('The event is delivered.').waitFor()
    const delivered = page.getByRole('textbox', { name: 'Delivered body' })
    await eventually(async () => (await delivered.innerText()).includes('"text": "messageNew"'))
    await write(owner, 'Payload', '{"event": "messageNew", "account": "anna"}')
    await owner.activate('Run the test')
    await page.getByText('The filter function rejects the event.').waitFor()
    await write(owner, 'Payload', '[]')
    await owner.activate('Run the test')
    await page.getByText('The payload must be a JSON object.').waitFor()

    await owner.activate('Create the route')
    await owner.heading('chat')
    const stored = await world.posthorn.getWebhookRoute({ webhookRoute: 'chat' })
    expect(stored).toMatchObject({
      name: 'To the chat',
      enabled: true,
      content: { fn: 'return payload.account === "jane"', map: source },
    })

    await write(owner, 'Map function', '')
    await owner.activate('Save')
    await page.getByText('The route is saved.').waitFor()
    const { content } = await world.posthorn.getWebhookRoute({ webhookRoute: 'chat' })
    expect(content.map).toBeNull()
    await owner.activate('Delete the route')
    await owner.activate('Delete the route', page.getByRole('alertdialog'))
    await owner.heading('Routes')
    const { total } = await world.posthorn.listWebhookRoutes({})
    expect(total).toBe(0)
    expect(await window.violations()).toEqual([])
  },
  journeyMs,
)

testInBrowser(
  'route: the editor completes members of the payload and names of events',
  async () => {
    const { world, owner, window } = opened()
    const { page } = owner
    const earlier = window.errors().length
    await page.goto(`${world.pagesUrl}/admin/create-route`)
    await untilLoaded(page)
    const map = page.getByRole('textbox', { name: 'Map function', exact: true })
    await map.waitFor()
    await owner.tabTo(map)
    await owner.press('Control+a', 'Delete')
    await page.keyboard.type('return payload.e')
    await accept(owner, 'event')
    await page.keyboard.type(" === 'message")
    await nameInList(page, 'messageNew').waitFor()
    expect((await seriousFindings(page)).filter((finding) => !keysScroll.test(finding))).toEqual([])
    await accept(owner, 'messageNew')
    await page.keyboard.type("' ? payload.data.s")
    await nameInList(page, 'subject').waitFor()
    expect(await nameInList(page, 'serverResponseCode').count()).toBe(0)
    await accept(owner, 'subject')
    await page.keyboard.type(' : payload.')
    await owner.press('Control+Space')
    await nameInList(page, 'account').waitFor()
    // Escape closes the list of names, and Tab then leaves the code editor.
    await owner.press('Escape')
    await nameInList(page, 'account').waitFor({ state: 'detached' })
    await owner.press('Tab')
    expect(await hasFocus(map)).toBe(false)
    expect((await map.innerText()).trim()).toBe(
      "return payload.event === 'messageNew' ? payload.data.subject : payload.",
    )
    expect([...window.errors().slice(earlier), ...(await window.violations())]).toEqual([])
  },
  journeyMs,
)

/**
 * Finding of the accessibility checker axe about a code editor's list of names, which cannot get
 * the focus. The keys of the editor scroll the list.
 */
const keysScroll = /^scrollable-region-focusable: <ul id="cm-ac/

/** Name in the list of names that a code editor shows. */
function nameInList(page: KeyboardUser['page'], name: string): Element {
  const label = page.locator('.cm-completionLabel', { hasText: new RegExp(`^${name}$`) })
  return page.getByRole('option').filter({ has: label })
}

/** Moves to a name in the list that a code editor shows, and accepts the name. */
async function accept({ page }: KeyboardUser, name: string): Promise<void> {
  const option = nameInList(page, name)
  await option.waitFor()
  const selected = page.locator('.cm-tooltip-autocomplete [aria-selected="true"]')
  const first = await selected.innerText()
  const down = () => page.keyboard.press('ArrowDown')
  // The code editor ignores keys for a moment after its list of names appears.
  await eventually(async () => {
    await down()
    return (await selected.innerText()) !== first
  })
  while ((await option.getAttribute('aria-selected')) !== 'true') await down()
  await page.keyboard.press('Enter')
  await option.waitFor({ state: 'detached' })
}

testInBrowser(
  'route test: a real payload needs the right to read mail',
  async () => {
    const { world, owner } = opened()
    const { page } = owner
    const choose = async () => {
      await page.goto(`${world.pagesUrl}/admin/create-route?event=accountInitialized`)
      await untilLoaded(page)
      const field = page.getByLabel('Payload of', { exact: true })
      await eventually(async () => (await field.locator('option').count()) > 1)
      await field.selectOption({ index: 1 })
      await page.getByRole('dialog', { name: 'Reading mail' }).waitFor()
    }
    await eventually(async () => {
      const { deliveries } = await world.posthorn.listWebhookDeliveries({ state: 'delivered' })
      return deliveries.some(({ event }) => event === 'accountInitialized')
    })
    await choose()
    await owner.activate('Close', page.getByRole('dialog'))
    await page.getByText('The payload contains mail, and reading mail is not active.').waitFor()
    const { body } = await callFromPage(page, { path: '/admin/session' })
    const { id } = body['person'] as { id: string }
    const permission = { method: 'PUT', path: `/admin/people/${id}`, body: { mayReadMail: true } }
    expect((await callFromPage(page, permission)).status).toBe(204)
    await choose()
    await untilFocused(page.getByRole('dialog').getByLabel('Reason'))
    await page.keyboard.type('Support case 17')
    await page.keyboard.press('Enter')
    const payload = page.getByRole('textbox', { name: 'Payload', exact: true })
    await eventually(async () => (await payload.innerText()).includes('"account": "jane"'))
  },
  journeyMs,
)

testInBrowser(
  'template: is written, previewed, sent as a test mail and deleted by keyboard',
  async () => {
    const { world, user, owner, window } = opened()
    const { page } = owner
    await owner.open('m', 'Templates')
    await owner.tabTo(page.getByRole('link', { name: 'Create a template' }))
    await owner.press('Enter')
    await owner.heading('Create a template')
    await owner.type('Name', 'Shipped')
    await owner.type('Id', 'shipped')
    await owner.type('Subject', 'Order {{params.number}} für {{rcpt.address}}')
    await write(owner, 'Plain text', 'Hello {{params.name}},\nyour order has shipped.')
    await write(owner, 'HTML', '<p>Hello {{params.name}}</p><script>window.hacked = 1</script>')
    await owner.type('From account', 'jane')
    await owner.type('To address', user.address)
    await write(owner, 'Values', '{"number": 4711, "name": "Zoë & <b>"}')
    const entries = await page.evaluate<number>('history.length')
    await owner.activate('Show the preview')
    await page.getByText(`Order 4711 für ${user.address}`).waitFor()
    const preview = page.frameLocator('iframe[title="Preview of the message"]')
    await preview.getByText('Hello Zoë & <b>').waitFor()
    expect(await page.evaluate<number>('history.length')).toBe(entries)
    const text = page.getByRole('textbox', { name: 'Plain text of the message' })
    await eventually(async () => (await text.innerText()).includes('Hello Zoë & <b>,'))
    const html = page.getByRole('textbox', { name: 'HTML of the message' })
    await eventually(async () =>
      expect(await html.innerText()).toContain('Hello Zoë &amp; &lt;b&gt;'),
    )
    expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
    expect((await world.posthorn.listOutbox({})).total).toBe(0)

    await owner.activate('Create the template')
    await owner.heading('shipped')
    await owner.type('From account', 'jane')
    await owner.type('To address', user.address)
    await write(owner, 'Values', '{"number": 4712, "name": "Zoë"}')
    await owner.activate('Send a test mail')
    await page.getByText('Queued for delivery.').waitFor()
    await world.webhook(({ event }) => event === 'messageSent')

    await owner.type('Subject', 'Shipped: {{params.number}}')
    await owner.activate('Save')
    await page.getByText('The template is saved.').waitFor()
    const { content } = await world.posthorn.getTemplate({ template: 'shipped' })
    expect(content.subject).toBe('Shipped: {{params.number}}')
    await owner.activate('Delete the template')
    await owner.activate('Delete the template', page.getByRole('alertdialog'))
    await owner.heading('Templates')
    expect((await world.posthorn.listTemplates({})).total).toBe(0)
    expect(await window.violations()).toEqual([])
  },
  journeyMs,
)

testInBrowser(
  'auditor: reads routes and templates, and can change nothing',
  async () => {
    const { world, owner, browser } = opened()
    const page = await browser.openWindow(wide)
    await join(owner.page, page, { email: 'auditor@example.com', role: 'auditor' })
    const map = 'return { text: "hello" }'
    await world.posthorn.createWebhookRoute({
      body: { id: 'seen', name: 'Seen', targetUrl: 'http://127.0.0.1:9/', content: { map } },
    })
    await world.posthorn.createTemplate({
      body: { id: 'seen', account: null, name: 'Seen', content: { text: 'Hello auditor' } },
    })
    for (const [path, label, text] of [
      ['/routes/seen', 'Map function', map],
      ['/templates/seen', 'Plain text', 'Hello auditor'],
    ] as const) {
      await page.goto(`${world.pagesUrl}/admin${path}`)
      await untilLoaded(page)
      const editor = page.getByRole('textbox', { name: label, exact: true })
      await editor.focus()
      await page.keyboard.type('changed')
      expect((await editor.innerText()).trim()).toBe(text)
      expect(await page.getByRole('button', { name: /Save|Delete|Run|Send/ }).count()).toBe(0)
    }
  },
  journeyMs,
)

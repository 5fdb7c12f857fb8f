import { afterAll, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CreateAuthenticationFormInput } from '@posthorn/client'
import { eventually, hasBrowser, testBrowser, testOpenIdProvider } from '@posthorn/testkit'
import { startWorld } from '../world.ts'

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof testBrowser>>['openPhone']>>

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())

/** Directory for screenshots of the hosted form; undefined for no screenshots. */
const pictures = process.env['TEST_PICTURES']
async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

/**
 * Starts the system, an autoconfig directory for the test's mail server, and the application that
 * links to the hosted form.
 */
async function openStage() {
  const stage = new AsyncDisposableStack()
  opened.use(stage)
  let servers: { host: string; imapPort: number; submissionPort: number } | undefined
  const outside = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/app'))
      return response.setHeader('content-type', 'text/html').end('<h1>Welcome back</h1>')
    if (path !== '/directory/mail.test' || !servers) return response.writeHead(404).end()
    const { host, imapPort, submissionPort } = servers
    const server = (element: string, type: string, port: number) =>
      `<${element} type="${type}"><hostname>${host}</hostname><port>${port}</port><socketType>STARTTLS</socketType><username>%EMAILLOCALPART%</username></${element}>`
    return response.end(
      `<clientConfig><emailProvider id="mail.test">${server('incomingServer', 'imap', imapPort)}${server('outgoingServer', 'smtp', submissionPort)}</emailProvider></clientConfig>`,
    )
  }).listen(0, '127.0.0.1')
  await once(outside, 'listening')
  stage.defer(() => {
    outside.closeAllConnections()
    outside.close()
  })
  const outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  const world = stage.use(
    await startWorld({
      names: ['api-gateway', 'auth-bridge', 'sync-worker', 'sender'],
      env: { SVC_AUTOCONFIG_DIRECTORY: `${outsideUrl}/directory/` },
      settings: { ignoreMailCertErrors: true, pageBrandName: 'Example Shop' },
    }),
  )
  const browser = stage.use(await testBrowser())
  await world.posthorn.updateSettings({ body: { serviceUrl: world.url } })
  const redirectUrl = `${outsideUrl}/app?step=2`
  const makeLink = (form: Partial<CreateAuthenticationFormInput['body']>) =>
    eventually(async () => {
      const body = { redirectUrl, ...form }
      const { url } = await world.posthorn.createAuthenticationForm({ body })
      expect(url).toContain(`${world.url}/accounts/new?`)
      return url
    })
  const user = world.mail.freshUser('phone')
  servers = user
  return { world, browser, makeLink, user }
}
const stage = hasBrowser() ? await openStage() : undefined

/**
 * Checks that a page of the hosted form fits the width of a phone and that buttons are at least 44
 * px high.
 */
async function expectToFit(page: Page): Promise<void> {
  const buttons = await page.locator('button, .button').all()
  for (const button of buttons) {
    const box = await button.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(375)
  }
  const body = await page.locator('main').boundingBox()
  expect(body?.width).toBeLessThanOrEqual(375)
}

testInBrowser(
  'hosted form: connects a mailbox on a phone without scripts',
  async () => {
    if (!stage) return
    const { world, browser, makeLink, user } = stage
    const page = await browser.openPhone()
    await page.goto(await makeLink({ account: 'phone', name: 'Ann' }))
    await expectToFit(page)
    await picture(page, 'form-1-person')
    await page.getByLabel('E-mail address').fill(user.address)
    await page.getByLabel('Password of the mailbox').fill('a slip of the thumb')
    await page.getByRole('button', { name: 'Continue' }).click()

    expect(await page.getByRole('group', { name: /IMAP/ }).getByLabel('Server').inputValue()).toBe(
      user.host,
    )
    await expectToFit(page)
    await picture(page, 'form-2-servers')
    await page.getByRole('button', { name: 'Only test the settings' }).click()
    await page.getByText('The server refuses this user name and password.').first().waitFor()
    await picture(page, 'form-3-refused')
    const incoming = page.getByRole('group', { name: /IMAP/ })
    const outgoing = page.getByRole('group', { name: /SMTP/ })
    await incoming.getByLabel('Password').fill(user.pass)
    await outgoing.getByLabel('Port').fill('1')
    await page.getByRole('button', { name: 'Only test the settings' }).click()
    await incoming.getByText('Works: we could log in.').waitFor()
    await outgoing.getByText(/No mail server can be used/).waitFor()
    await outgoing.getByLabel('Port').fill(String(user.submissionPort))
    await page.getByRole('button', { name: 'Only test the settings' }).click()
    await outgoing.getByText('Works: we could log in.').waitFor()
    await picture(page, 'form-4-works')
    expect(await page.content()).not.toContain(user.pass)
    await page.getByRole('button', { name: 'Connect mailbox' }).click()
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
    expect([...new URL(page.url()).searchParams]).toEqual([
      ['step', '2'],
      ['account', 'phone'],
      ['state', 'new'],
    ])
    await eventually(
      async () => {
        const registered = await world.posthorn.getAccount({ account: 'phone' })
        expect(registered).toMatchObject({ state: 'connected', email: user.address })
      },
      { timeoutMs: 150_000 },
    )
  },
  300_000,
)

testInBrowser(
  'hosted form: rejects a changed link, follows the color scheme of the device',
  async () => {
    if (!stage) return
    const { browser, makeLink } = stage
    const page = await browser.openPhone({ colorScheme: 'dark' })
    const link = await makeLink({ email: 'ann@gmail.com', type: 'imap' })
    await page.goto(link)
    await page.getByRole('link', { name: /myaccount\.google\.com/ }).waitFor()
    await expectToFit(page)
    await picture(page, 'form-5-dark-hint')
    const rejected = await page.goto(link.replace(/sig=./, 'sig=~'))
    expect(rejected?.status()).toBe(403)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await page.goto(`${link}&theme=light`)
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
    await picture(page, 'form-6-light')
  },
  300_000,
)

testInBrowser(
  'hosted form: connects an account by OAuth2 on a phone',
  async () => {
    if (!stage) return
    const { world, browser, makeLink, user } = stage
    const callback = `${world.url}/oauth`
    const provider = await testOpenIdProvider({ redirectUrls: [callback] })
    opened.defer(() => provider.close())
    const { issuer, clientId, clientSecret } = provider
    const { host, imapPort, submissionPort } = user
    await world.posthorn.createOAuth2App({
      body: {
        name: 'provider',
        title: 'Example Mail',
        provider: 'generic',
        enabled: true,
        includeInListing: true,
        redirectUrl: callback,
        issuer,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile', 'offline_access', 'mail'],
        imap: { host, port: imapPort },
        smtp: { host, port: submissionPort },
      },
    })
    const page = await browser.openPhone()
    const link = await makeLink({ account: 'signed', expectedEmail: 'Bea@mail.test' })
    await page.goto(link)
    await expectToFit(page)
    await picture(page, 'sign-in-1-choice')
    await page.getByRole('link', { name: 'Sign in with Example Mail' }).click()
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
    expect(new URL(page.url()).searchParams.get('account')).toBe('signed')
    expect(await world.posthorn.getAccount({ account: 'signed' })).toMatchObject({
      email: 'Bea@mail.test',
      imap: { host, port: imapPort },
      oauth2: { auth: { user: 'Bea@mail.test' } },
    })
    // A used link to the hosted form leads to the application again. A sign-in to a connected
    // mailbox is reported, with a link to a new sign-in.
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link was used already' }).waitFor()
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
    await page.goto(await makeLink({ account: 'second', expectedEmail: 'Bea@mail.test' }))
    await page.getByRole('link', { name: 'Sign in with Example Mail' }).click()
    await page.getByRole('heading', { name: 'This mailbox is connected already' }).waitFor()
    await expectToFit(page)
    await picture(page, 'sign-in-2-exists')
    await page.goto(`${callback}?state=gone&code=x`)
    await page.getByRole('heading', { name: 'This sign-in is over' }).waitFor()
    await picture(page, 'sign-in-3-over')
  },
  300_000,
)

testInBrowser(
  'unsubscribe page: unsubscribes from a list and subscribes again on a phone',
  async () => {
    if (!stage) return
    const { browser, user } = stage
    const { posthorn } = stage.world
    const account = 'phone'
    await posthorn.submitMessage({
      account,
      body: {
        subject: 'News',
        text: 'News',
        listId: 'news',
        mailMerge: [{ to: { address: user.address } }],
      },
    })
    const url = await eventually(
      async () => {
        const { messages } = await posthorn.listMessages({ account, path: 'INBOX' })
        const read = await posthorn.getMessage({ account, message: messages[0]?.id ?? '' })
        const [, address] = /<([^>]*)>/.exec(String(read.headers?.['list-unsubscribe'])) ?? []
        return address ?? false
      },
      { timeoutMs: 150_000 },
    )
    const page = await browser.openPhone()
    await page.goto(url)
    await expectToFit(page)
    await picture(page, 'unsubscribe-1')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    await picture(page, 'unsubscribe-2')
    const list = () => posthorn.getBlocklist({ listId: 'news' })
    expect(await list()).toMatchObject({ addresses: [{ recipient: user.address }] })
    await page.getByRole('button', { name: 'Subscribe again' }).click()
    await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor()
    await expect(list()).rejects.toMatchObject({ status: 404 })
  },
  300_000,
)

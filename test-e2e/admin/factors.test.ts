import { afterAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { freePort, hasBrowser, testBrowser, testOpenIdProvider } from '@posthorn/testkit'
import {
  callFromPage,
  join,
  type Page,
  password,
  setUpOwner,
  signOut,
  startAdminWorld,
} from './admin-world.ts'
import { addPasskeyDevice, AuthenticatorApp } from './factor-devices.ts'
import {
  openPageWindow,
  type PageWindow,
  seriousFindings,
  untilFocused,
  untilShown,
} from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/**
 * Maximum duration of a test that follows one person through the administration pages, on a busy
 * machine.
 */
const testMs = 300_000
const wide = { width: 1280, height: 900 }
/** Name of all invited people, which labels the menu with the sign-out. */
const personName = 'New Person'

/**
 * Starts the system with an OpenID provider. The pages are opened at `localhost`, because browsers
 * refuse passkeys at IP addresses. Without lists of users and groups,
 * admin-ui admits invited people only.
 */
async function openStage() {
  const pagesUrl = `http://localhost:${await freePort()}`
  const redirectUrls = [`${pagesUrl}/admin/session/oidc/callback`]
  const provider = stack.adopt(await testOpenIdProvider({ redirectUrls }), (server) =>
    server.close(),
  )
  const variables = {
    SVC_ADMIN_OIDC_ISSUER: provider.issuer,
    SVC_ADMIN_OIDC_CLIENT_ID: provider.clientId,
    SVC_ADMIN_OIDC_CLIENT_SECRET: provider.clientSecret,
  }
  const options = { pagesUrl, envByService: { 'admin-ui': variables } }
  const world = stack.use(await startAdminWorld(['auth-bridge'], options))
  const browser = stack.use(await testBrowser())
  const owner = await browser.openWindow(wide)
  await setUpOwner(owner, world)
  return { world, provider, browser, owner }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

async function openWindow(): Promise<PageWindow> {
  const { world, browser } = opened()
  const window = await openPageWindow(browser, wide, world.pagesUrl)
  await window.page.emulateMedia({ reducedMotion: 'reduce' })
  return window
}

/** Invites a person, who joins in a new window. The window then shows the profile of the person. */
async function openPerson(email: string): Promise<PageWindow> {
  const window = await openWindow()
  await join(opened().owner, window.page, { email, role: 'operator' })
  return window
}

/**
 * Expects no serious findings of the accessibility checker axe on a page, no script errors and no
 * violations of the content security policy.
 */
async function expectAccessible(window: PageWindow, state: string): Promise<void> {
  // Browsers log each refused call as an error.
  const errors = window.errors().filter((text) => !text.includes('Failed to load resource'))
  const findings = await seriousFindings(window.page)
  expect([state, findings, errors, await window.violations()]).toEqual([state, [], [], []])
}

const sessionOf = (page: Page) => callFromPage(page, { path: '/admin/session' })

/** Waits until an administration page shows an error message. */
async function untilRefused(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('alert').filter({ hasText: text }).waitFor()
}

const passkeyPanel = (page: Page) => page.getByRole('region', { name: 'Passkeys' })
const codePanel = (page: Page) => page.getByRole('region', { name: 'One-time codes' })

/** Adds a passkey on the profile page, and gives the passkey a name. */
async function addPasskey(window: PageWindow, name: string): Promise<void> {
  const { page } = window
  const panel = passkeyPanel(page)
  await panel.getByRole('button', { name: 'Add a passkey' }).click()
  await panel.getByRole('button', { name: 'Rename' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await expectAccessible(window, 'name of a passkey')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await panel.getByRole('cell', { name, exact: true }).waitFor()
}

async function signInWithPasskey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
}

/**
 * Confirms a dangerous action in the dialogs of the administration pages, and repeats the sign-in
 * factor by passkey.
 */
async function confirmWithPasskey(window: PageWindow, action: string): Promise<void> {
  const { page } = window
  await page.getByRole('alertdialog').getByRole('button', { name: action }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor()
  await expectAccessible(window, 'step-up')
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Makes the last sign-in factor of a person's sessions too old for dangerous actions. */
async function ageFactor(email: string): Promise<void> {
  await withClient(opened().world.ownerUrl, (client) =>
    client.query(
      `update admin_sessions set factor_at = now() - interval '11 minutes'
        where person = (select id from admin_people where email = $1)`,
      [email],
    ),
  )
}

/**
 * Sets one-time codes up on the profile page. Returns the authenticator app and the recovery codes.
 */
async function setUpCodes(window: PageWindow) {
  const panel = codePanel(window.page)
  await panel.getByRole('button', { name: 'Set up one-time codes' }).click()
  await panel.getByRole('img', { name: 'Key of the one-time codes' }).waitFor()
  await untilFocused(panel.getByRole('heading', { name: 'One-time codes' }))
  await expectAccessible(window, 'set-up of one-time codes')
  const app = new AuthenticatorApp(await panel.locator('code').innerText())
  await panel.getByLabel('Code that the app shows').fill(app.nextCode())
  await panel.getByRole('button', { name: 'Confirm' }).click()
  await panel.getByText('One-time codes are on. 10 recovery codes are left.').waitFor()
  await untilFocused(panel.getByRole('heading', { name: 'One-time codes' }))
  const recoveryCodes = await shownRecoveryCodes(window.page)
  await expectAccessible(window, 'recovery codes')
  return { app, recoveryCodes }
}

async function shownRecoveryCodes(page: Page): Promise<string[]> {
  const codes = (await codePanel(page).locator('pre').innerText()).split('\n')
  expect(codes).toHaveLength(10)
  return codes
}

/**
 * Enters the password of a person with one-time codes. The page then asks for the second factor.
 */
async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('One-time code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
}

testInBrowser(
  'passkey: signs in without a password and confirms actions, until it is removed',
  async () => {
    const email = 'passkey@example.com'
    const window = await openPerson(email)
    const { page } = window
    await addPasskeyDevice(page)
    await passkeyPanel(page).getByText('Passkeys of this device').waitFor()
    await addPasskey(window, 'Laptop')
    await expectAccessible(window, 'profile with a passkey')

    await signOut(page, personName)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await expectAccessible(window, 'sign-in with all factors')
    await signInWithPasskey(page)
    await untilShown(page, 'Your profile')
    const { body } = await sessionOf(page)
    expect(body).toMatchObject({ person: { email }, factors: { passkeys: 1 } })
    const row = passkeyPanel(page).getByRole('row').filter({ hasText: 'Laptop' })
    await row.waitFor()
    expect(await row.innerText()).not.toContain('never')

    await ageFactor(email)
    await row.getByRole('button', { name: 'Remove' }).click()
    await confirmWithPasskey(window, 'Remove')
    await passkeyPanel(page).getByText('Passkeys of this device').waitFor()

    await signOut(page, personName)
    await signInWithPasskey(page)
    await untilRefused(page, 'The passkey was not accepted')
    await expectAccessible(window, 'removed passkey')
    expect((await sessionOf(page)).status).toBe(401)
  },
  testMs,
)

testInBrowser(
  'passkey: not confirmed, or added to a device again, the page says what to do',
  async () => {
    const window = await openPerson('device@example.com')
    const { page } = window
    const device = await addPasskeyDevice(page)
    await addPasskey(window, 'Phone')
    await passkeyPanel(page).getByRole('button', { name: 'Add a passkey' }).click()
    await untilRefused(page, 'This device has a passkey for you already')
    await expectAccessible(window, 'second passkey of a device')

    await signOut(page, personName)
    await device.setConfirmed(false)
    await signInWithPasskey(page)
    await untilRefused(page, 'No passkey was used')
    await expectAccessible(window, 'passkey without confirmation')
    expect((await sessionOf(page)).status).toBe(401)
    await device.setConfirmed(true)
    await signInWithPasskey(page)
    await untilShown(page, 'Your profile')
  },
  testMs,
)

testInBrowser(
  'one-time codes: are required after the password, and each code works once',
  async () => {
    const email = 'codes@example.com'
    const window = await openPerson(email)
    const { page } = window
    const { app, recoveryCodes } = await setUpCodes(window)
    const [first = '', second = ''] = recoveryCodes

    await signOut(page, personName)
    await enterPassword(page, email)
    await expectAccessible(window, 'second factor')
    expect((await sessionOf(page)).status).toBe(401)
    const code = app.nextCode()
    await enterCode(page, code)
    await untilShown(page, 'Your profile')

    await signOut(page, personName)
    await enterPassword(page, email)
    await enterCode(page, code)
    await untilRefused(page, 'The code is wrong')
    await expectAccessible(window, 'replayed code')
    expect((await sessionOf(page)).status).toBe(401)
    await enterCode(page, first)
    await untilShown(page, 'Your profile')
    await codePanel(page).getByText('9 recovery codes are left.').waitFor()

    await signOut(page, personName)
    await enterPassword(page, email)
    await enterCode(page, first)
    await untilRefused(page, 'The code is wrong')
    expect((await sessionOf(page)).status).toBe(401)
    await enterCode(page, second)
    await untilShown(page, 'Your profile')
    await codePanel(page).getByText('8 recovery codes are left.').waitFor()
  },
  testMs,
)

testInBrowser(
  'auth-bridge stopped: passkeys and recovery codes work, the page names them as alternatives',
  async () => {
    const { world } = opened()
    const email = 'outage@example.com'
    const window = await openPerson(email)
    const { page } = window
    await addPasskeyDevice(page)
    await addPasskey(window, 'Key')
    const { app, recoveryCodes } = await setUpCodes(window)
    await signOut(page, personName)
    await world.services.stop('auth-bridge')
    try {
      await enterPassword(page, email)
      await enterCode(page, app.nextCode())
      await untilRefused(page, /auth-bridge does not respond.*Use a passkey or a recovery code/)
      await expectAccessible(window, 'one-time code without auth-bridge')
      await enterCode(page, recoveryCodes[0] ?? '')
      await untilShown(page, 'Your profile')

      await signOut(page, personName)
      await signInWithPasskey(page)
      await untilShown(page, 'Your profile')
      await ageFactor(email)
      await codePanel(page).getByRole('button', { name: 'New recovery codes' }).click()
      await confirmWithPasskey(window, 'New recovery codes')
      await codePanel(page).getByText('10 recovery codes are left.').waitFor()
      const renewed = await shownRecoveryCodes(page)
      expect(renewed.filter((code) => recoveryCodes.includes(code))).toEqual([])
    } finally {
      await world.services.start('auth-bridge')
    }
  },
  testMs,
)

testInBrowser(
  'OpenID: an invited person signs in at the provider, an unknown identity is refused',
  async () => {
    const { world, provider, owner } = opened()
    const [invited, unknown] = ['invited@example.com', 'unknown@example.com']
    provider.verified.add(invited).add(unknown)
    const window = await openPerson(invited)
    const { page } = window
    const joined = await sessionOf(page)
    await signOut(page, personName)
    provider.user = invited
    await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click()
    await untilShown(page, 'Dashboard')
    const { body } = await sessionOf(page)
    expect(body).toMatchObject({
      person: joined.body['person'],
      factors: { password: true, oidc: true },
    })
    await page.reload()
    await untilShown(page, 'Dashboard')

    const other = await openWindow()
    provider.user = unknown
    await other.page.goto(`${world.pagesUrl}/admin/`)
    await other.page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click()
    await other.page.getByText('You have no access to these pages.').waitFor()
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await expectAccessible(other, 'refused identity')
    expect((await sessionOf(other.page)).status).toBe(401)
    const { people } = (await callFromPage(owner, { path: '/admin/people' })).body
    const emails = (people as { email: string }[]).map(({ email }) => email)
    expect(emails).toContain(invited)
    expect(emails).not.toContain(unknown)
  },
  testMs,
)

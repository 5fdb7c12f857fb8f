import { randomBytes } from 'node:crypto'
import type { ServiceName } from '@posthorn/local/role-passwords'
import { freePort, testBrowser } from '@posthorn/testkit'
import { startWorld, type World, type WorldOptions } from '../world.ts'

/** Password of all people in the tests of the administration pages. */
export const password = 'correct horse battery'

/** Running system with the administration pages. */
export interface AdminWorld extends World {
  /** Origin of the administration pages. */
  pagesUrl: string
  /** Link with which the first owner of the administration pages is created. */
  setUpUrl: string
}

export interface AdminWorldOptions extends Omit<WorldOptions, 'names' | 'ports'> {
  /**
   * Origin of the administration pages, with a free port of this machine. Default: a free port of
   * 127.0.0.1.
   */
  pagesUrl?: string
}

/**
 * Starts api-gateway, admin-ui and the services `names`. The set-up link for the first owner has a
 * known token.
 */
export async function startAdminWorld(
  names: readonly ServiceName[],
  { pagesUrl: chosenUrl, ...options }: AdminWorldOptions = {},
): Promise<AdminWorld> {
  const setupToken = randomBytes(32).toString('base64url')
  const pagesUrl = chosenUrl ?? `http://127.0.0.1:${await freePort()}`
  const ports = { 'api-gateway': await freePort(), 'admin-ui': Number(new URL(pagesUrl).port) }
  const world = await startWorld({
    ...options,
    names: ['api-gateway', 'admin-ui', ...names],
    ports,
    envByService: {
      ...options.envByService,
      'admin-ui': {
        SVC_GATEWAY_URL: `http://127.0.0.1:${ports['api-gateway']}`,
        SVC_ADMIN_SETUP_TOKEN: setupToken,
        ...options.envByService?.['admin-ui'],
      },
    },
  })
  return { ...world, pagesUrl, setUpUrl: `${pagesUrl}/admin/set-up#token=${setupToken}` }
}

export type Browser = Awaited<ReturnType<typeof testBrowser>>
export type Page = Awaited<ReturnType<Browser['openWindow']>>

/** Reply to a call that an administration page has sent. */
export interface CallReply {
  status: number
  body: Record<string, unknown>
}

/** Sends a call to admin-ui from an open page, as the script of the page does. */
export function callFromPage(
  page: Page,
  request: { method?: string; path: string; body?: unknown; headers?: Record<string, string> },
): Promise<CallReply> {
  return page.evaluate<CallReply, typeof request>(
    async ({ method = 'GET', path, body, headers = { 'X-SVC-Admin': '1' } }) => {
      const response = await fetch(path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
    },
    request,
  )
}

/**
 * Creates the first owner of the administration pages with the set-up link. The page then shows the
 * profile of the owner.
 */
export async function setUpOwner(page: Page, { setUpUrl }: Pick<AdminWorld, 'setUpUrl'>) {
  await page.goto(setUpUrl)
  await page.getByLabel('Email address').fill('owner@example.com')
  await page.getByLabel('Name').fill('Olivia Owner')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create the owner' }).click()
  await page.getByRole('heading', { name: 'Your profile' }).waitFor()
}

/** Signs a person in at the open administration page, which shows the sign-in form. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Theme' }).waitFor()
}

/** Signs out the person of an open administration page. The page then shows the sign-in form. */
export async function signOut(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/**
 * Invites a person to the administration pages by an owner, whose page is open, and accepts the
 * invitation in `page`.
 */
export async function join(
  owner: Page,
  page: Page,
  person: { email: string; role: string; mayReadMail?: boolean },
): Promise<void> {
  const path = '/admin/people/invitations'
  const { body } = await callFromPage(owner, { method: 'POST', path, body: person })
  await page.goto(String(body['link']))
  await page.getByLabel('Name').fill('New Person')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Your profile' }).waitFor()
}

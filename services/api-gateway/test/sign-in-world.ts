import { expect } from '@jest/globals'
import { hostedFormWorld, serviceUrl, unescape } from './hosted-form-world.ts'
import type { Consent } from './provider-stub.ts'

/** Cookies of a test browser by name. */
export type Browser = Map<string, string>

export const redirectUrl = 'https://app.example/done'

export const stateIn = (url: string) => new URL(url).searchParams.get('state') ?? ''

/** Path and query of a URL of the service under test. */
export function pathOf(url: string): string {
  expect(url.slice(0, serviceUrl.length)).toBe(serviceUrl)
  return url.slice(serviceUrl.length)
}

type Gateway = Awaited<ReturnType<typeof hostedFormWorld>>['gateways'][0]

async function createApp(gateway: Gateway, config: object): Promise<string> {
  const body = {
    provider: 'gmail',
    enabled: true,
    clientId: 'id',
    clientSecret: 'secret',
    redirectUrl: `${serviceUrl}/oauth`,
    baseScopes: 'imap',
    ...config,
  }
  const response = await gateway.call('POST', '/v1/oauth2', { body })
  expect(response).toMatchObject({ status: 200 })
  return String(response.body['id'])
}

/**
 * Starts two replicas of api-gateway with the hosted form, and a browser that signs in at a fake
 * OAuth2 provider.
 */
export async function signInWorld() {
  const world = await hostedFormWorld()
  const [gateway, other] = world.gateways
  const browser: Browser = new Map()
  const makeApp = (config: object) => createApp(gateway, config)
  const app = await makeApp({ name: 'listed', title: 'Good Mail', includeInListing: true })

  async function makeLink(body: object = {}): Promise<string> {
    const response = await gateway.call('POST', '/v1/authentication/form', {
      body: { redirectUrl, ...body },
    })
    expect(response.status).toBe(200)
    return pathOf(String(response.body['url']))
  }
  async function page(path: string, from = gateway, cookies = browser) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(from.url + path, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return { status: response.status, location, html: await response.text() }
  }
  /**
   * Starts an OAuth2 sign-in with a link to the hosted form. Returns the URL that the browser
   * opens.
   */
  async function startSignIn(link: string): Promise<string> {
    const { status, location } = await page(`${link}&type=${app}`)
    expect(status).toBe(303)
    return location ?? ''
  }
  /**
   * Opens the URL of a started OAuth2 sign-in in a browser. Returns the OAuth2 state of this
   * browser.
   */
  async function openSignIn(url: string, cookies = browser): Promise<string> {
    const { status, location } = await page(pathOf(url), gateway, cookies)
    expect(status).toBe(303)
    return stateIn(location ?? '')
  }
  return {
    ...world,
    app,
    browser,
    makeApp,
    makeLink,
    page,
    startSignIn,
    openSignIn,
    /**
     * Starts an OAuth2 sign-in with a form link and opens the sign-in in the browser. Returns its
     * OAuth2 state.
     */
    beginSignIn: async (link: string) => openSignIn(await startSignIn(link)),
    finishSignIn: (state: string, consent: Consent, cookies = browser) =>
      page(`/oauth?code=${world.provider.consent(consent)}&state=${state}`, other, cookies),
    /** Opens the new OAuth2 sign-in that a result page offers. Returns its OAuth2 state. */
    retryState: (html: string) =>
      openSignIn(unescape(/href="(https:[^"]*[?]start=[^"]*)"/.exec(html)?.[1] ?? '')),
  }
}

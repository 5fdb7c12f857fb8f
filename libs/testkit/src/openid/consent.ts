export interface ConsentResult {
  /** Redirect URL with the parameters that the OpenID provider added. */
  callback: string
  code: string
  state: string
}

const maxRedirects = 10

/**
 * Follows the redirects of a login like a browser. Stops at the redirect that leaves the OpenID
 * provider.
 */
export async function followConsent(authorizeUrl: string): Promise<ConsentResult> {
  const { origin } = new URL(authorizeUrl)
  const cookies = new Map<string, string>()
  let url = new URL(authorizeUrl)
  for (let hops = 0; hops < maxRedirects && url.origin === origin; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`no redirect: ${await response.text()}`)
    url = new URL(location, url)
  }
  const code = url.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${url.href}`)
  return { callback: url.href, code, state: url.searchParams.get('state') ?? '' }
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';')
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
}

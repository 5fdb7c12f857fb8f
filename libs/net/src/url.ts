/**
 * URL without its login (user and password). The login is returned separately, as the value of an
 * Authorization header (RFC 7617).
 */
interface SplitUrl {
  url: string
  authorization?: string
}

/**
 * Splits the login (user and password) from a URL.
 *
 * @throws TypeError if the text is not a URL
 */
export function splitCredentials(address: string): SplitUrl {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url: url.href }
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${decodePercent(username)}:${decodePercent(password)}`).toString(
    'base64',
  )
  return { url: url.href, authorization: `Basic ${credentials}` }
}

/**
 * Returns a URL for logs. The login and the query are masked, because both may contain secrets.
 * Never throws.
 */
export function redactUrl(address: string): string {
  if (!URL.canParse(address)) return '(not a URL)'
  const { protocol, username, password, host, pathname, search } = new URL(address)
  const user = username === '' && password === '' ? '' : '***@'
  return `${protocol}//${user}${host}${pathname}${search === '' ? '' : '?***'}`
}

/**
 * Decodes percent escapes in the user name or password of a URL. Invalid escapes are kept
 * unchanged, all valid escapes are decoded.
 */
export function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

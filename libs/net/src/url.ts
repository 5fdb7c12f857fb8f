/** An address without its credentials, and these as the value of an Authorization header (RFC 7617). */
export interface SplitUrl {
  url: string
  authorization?: string
}

/** Takes the credentials out of an address. Throws TypeError when it is none. */
export function splitCredentials(address: string): SplitUrl {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return { url: url.href }
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: url.href, authorization: `Basic ${credentials}` }
}

/** An address as one may log it: credentials and query values replaced, for both are used to carry secrets. Never throws. */
export function redactUrl(address: string): string {
  if (!URL.canParse(address)) return '(no address)'
  const { protocol, username, password, host, pathname, search } = new URL(address)
  const user = username === '' && password === '' ? '' : '***@'
  return `${protocol}//${user}${host}${pathname}${search === '' ? '' : '?***'}`
}

/** What is not the escape of a character stands for itself; the escapes beside it are read all the same. */
export function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

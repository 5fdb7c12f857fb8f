import { lacksMark, markSealed, sealedIn } from './in-place.ts'
import { keyIdOf, type Unsealer, type Resealer, type Sealer } from './seal.ts'

// URLs of webhooks and proxies may contain a login: `https://user:password@host`. The secret of the
// login is sealed (encrypted) in place: the password, or a user without a password. The other parts
// of the URL stay readable.

interface Login {
  url: URL
  part: 'username' | 'password'
}

/**
 * Seals (encrypts) the login of a URL for its host. A URL without a login, or with a sealed login,
 * stays unchanged.
 */
export async function sealLogin(address: string, sealer: Sealer): Promise<string> {
  const login = loginIn(address)
  if (!login || sealedIn(textOf(login)) !== undefined) return address
  return withText(login, markSealed(await sealer.seal(textOf(login), sealContextOf(login))))
}

/**
 * Unseals (decrypts) the login of a URL. A URL without a sealed login is returned unchanged.
 *
 * @throws AppError `internal` if the login was sealed for another host, or no key fits
 */
export async function unsealLogin(address: string, unsealer: Unsealer): Promise<string> {
  const login = loginIn(address)
  const sealed = login && sealedIn(textOf(login))
  if (!login || sealed === undefined) return address
  return withText(login, await unsealer.unseal(sealed, sealContextOf(login)))
}

/**
 * Reseals (encrypts again) the login of a URL (user and password) with the newest key. A plaintext
 * login is sealed.
 *
 * @throws AppError `internal` if no key fits
 */
export async function resealLogin(address: string, resealer: Resealer): Promise<string> {
  const login = loginIn(address)
  const sealed = login && sealedIn(textOf(login))
  if (!login || sealed === undefined) return sealLogin(address, resealer)
  return withText(login, markSealed(await resealer.reseal(sealed)))
}

/** True if a URL contains a sealed (encrypted) login. Cheap for URLs without a sealed login. */
export function isLoginSealed(address: string): boolean {
  const login = lacksMark(address) ? undefined : loginIn(address)
  return login !== undefined && sealedIn(textOf(login)) !== undefined
}

/**
 * Returns the id of the key with which the login of a URL was sealed (encrypted), `clear` for a
 * plaintext login, undefined without a login.
 */
export function keyIdOfLogin(address: string): string | undefined {
  const login = loginIn(address)
  if (!login) return undefined
  const sealed = sealedIn(textOf(login))
  return sealed === undefined ? 'clear' : keyIdOf(sealed)
}

function loginIn(address: string): Login | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url) return undefined
  if (url.password !== '') return { url, part: 'password' }
  return url.username === '' ? undefined : { url, part: 'username' }
}

function textOf({ url, part }: Login): string {
  return url[part]
}

/**
 * Sets the secret of a login in its URL. The secret is percent-encoded already; the setter does not
 * encode `%` again.
 */
function withText({ url, part }: Login, text: string): string {
  url[part] = text
  return url.href
}

function sealContextOf({ url: { protocol, host } }: Login): string {
  return `login/${protocol}//${host}`
}

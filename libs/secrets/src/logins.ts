import { lacksMark, markSealed, sealedIn } from './in-place.ts'
import { keyIdOf, type Unsealer, type Resealer, type Sealer } from './seal.ts'

// Addresses of others' servers (webhooks, proxies) may have a login in them: `https://user:password@host`. What is secret in it, the
// password, or the user where that is all there is, is sealed in its place: the rest can be read, compared and masked as ever.

interface Login {
  url: URL
  part: 'username' | 'password'
}

/** The address with its login sealed, for its host alone; as it is where it has none, or one that is sealed. */
export async function sealLogin(address: string, sealer: Pick<Sealer, 'seal'>): Promise<string> {
  const login = loginIn(address)
  if (!login || sealedIn(textOf(login)) !== undefined) return address
  return withText(login, markSealed(await sealer.seal(textOf(login), placeOf(login))))
}

/**
 * The address with its login in the clear.
 *
 * @throws AppError `internal` as `Opener.open` does, also where it was sealed for another host
 */
export async function unsealLogin(address: string, opener: Unsealer): Promise<string> {
  const login = loginIn(address)
  const sealed = login && sealedIn(textOf(login))
  if (!login || sealed === undefined) return address
  return withText(login, await opener.unseal(sealed, placeOf(login)))
}

/**
 * The address with its login sealed by the newest key, also where it was in the clear.
 *
 * @throws AppError `internal` as `Opener.open` does
 */
export async function resealLogin(address: string, resealer: Resealer): Promise<string> {
  const login = loginIn(address)
  const sealed = login && sealedIn(textOf(login))
  if (!login || sealed === undefined) return sealLogin(address, resealer)
  return withText(login, markSealed(await resealer.reseal(sealed)))
}

export function isLoginSealed(address: string): boolean {
  const login = lacksMark(address) ? undefined : loginIn(address)
  return login !== undefined && sealedIn(textOf(login)) !== undefined
}

/** Id of the key that the login in an address is sealed with, `clear` where it is not; undefined where there is none. */
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

/** Percent-encoded as it stood there: setting it encodes no `%` again. */
function withText({ url, part }: Login, text: string): string {
  url[part] = text
  return url.href
}

function placeOf({ url: { protocol, host } }: Login): string {
  return `login/${protocol}//${host}`
}

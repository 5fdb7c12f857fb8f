import type { Credentials } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import type { StoredLogin } from '../store/credentials.ts'
import { parseAnswer } from './parse-answer.ts'
import type { CredentialProvider } from './provider.ts'
import { SingleFlight } from './single-flight.ts'

/** GET without following redirects, bounded in time and size. Rejects where there is no answer. */
export type HttpGet = (request: {
  url: string
  headers: Record<string, string>
  timeoutMs: number
  maxBytes: number
}) => Promise<{ status: number; body: string }>

export interface AuthServerDeps {
  get: HttpGet
  /** The `authServer` setting as it is now. */
  url: () => Promise<string | undefined>
  now?: () => number
}

export interface AuthServer extends CredentialProvider {
  /** Forgets answers: of one account, or all. */
  forget(account?: string): void
}

/** How long the operator's server may take, in all. */
const timeoutMs = 10_000
/** A user and a token; the longest tokens seen have 4 KiB. */
const maxBytes = 64 * 1_024

/**
 * The operator's authentication server: `GET <authServer>?account=<id>&proto=<imap|smtp>`. Any failure of it is `unreachable` with
 * code `HTTPRequestError`: what the account's own server thinks of the login is not known then.
 */
export function authServer({ get, url, now = Date.now }: AuthServerDeps): AuthServer {
  const answers = new SingleFlight<Credentials>({ now })
  return {
    async get(login) {
      const base = await url()
      if (!base) throw failure('No authentication server is set')
      return answers.get(keyOf(login, base), async () => {
        const { credentials, until } = await ask({ get, now }, askFor(login, base))
        return { value: credentials, until }
      })
    },
    forget(account) {
      answers.forget(account === undefined ? undefined : (key) => JSON.parse(key)[0] === account)
    },
  }
}

const keyOf = ({ account, protocol }: StoredLogin, base: string) => JSON.stringify([account, protocol, base])

/** The address to ask, with the credentials of the URL moved to a header. */
function askFor({ account, protocol }: StoredLogin, base: string) {
  if (!URL.canParse(base)) throw failure('The authentication server has no valid address')
  const url = new URL(base)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.searchParams.set('account', account)
  url.searchParams.set('proto', protocol)
  const basic = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')
  return {
    url: url.href,
    headers: {
      accept: 'application/json',
      ...(username === '' && password === '' ? {} : { authorization: `Basic ${basic}` }),
    },
  }
}

/** The URL keeps escapes that are none (`100%`) as they are. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function ask({ get, now }: { get: HttpGet; now: () => number }, request: ReturnType<typeof askFor>) {
  const response = await get({ ...request, timeoutMs, maxBytes }).catch((cause: unknown) => {
    throw failure('The authentication server could not be asked', cause)
  })
  if (response.status !== 200) throw failure(`The authentication server answered ${response.status}`)
  const answer = parseAnswer(response.body, now())
  if (!answer) throw failure('The authentication server answered without credentials')
  return answer
}

function failure(message: string, cause?: unknown): AppError {
  return new AppError('unreachable', message, {
    code: 'HTTPRequestError',
    ...(cause === undefined ? {} : { cause: new Error(messageOf(cause), { cause }) }),
  })
}

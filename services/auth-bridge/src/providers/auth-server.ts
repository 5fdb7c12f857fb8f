import type { Credentials } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { type HttpCaller, splitCredentials } from '@posthorn/net'
import type { StoredLogin } from '../store/credentials.ts'
import { parseAnswer } from './parse-answer.ts'
import type { CredentialProvider } from './provider.ts'
import { SingleFlight } from './single-flight.ts'

export interface AuthServerDeps {
  http: Pick<HttpCaller, 'call'>
  /** The `authServer` setting as it is now. */
  address: () => Promise<string | undefined>
  now?: () => number
}

export interface AuthServer extends CredentialProvider {
  /** Forgets answers: of one account, or all. */
  forget(account?: string): void
}

/** A user and a token; the longest tokens seen have 4 KiB. A longer answer is cut, and then it is no JSON. */
export const authServerMaxBytes = 64 * 1_024

/**
 * The operator's authentication server: `GET <authServer>?account=<id>&proto=<imap|smtp>`. Any failure of it is `unreachable` with
 * code `HTTPRequestError`: what the account's own server thinks of the login is not known then.
 */
export function authServer({ http, address, now = Date.now }: AuthServerDeps): AuthServer {
  const answers = new SingleFlight<Credentials>({ now })
  return {
    async get(login) {
      const base = await address()
      if (!base) throw failure('No authentication server is set')
      // Several may wait for one question: it has its own end, and not that of whoever asked first.
      return answers.get(JSON.stringify([login.account, login.protocol, base]), async () => {
        const { credentials, until } = await ask({ http, now }, questionFor(login, base))
        return { value: credentials, until }
      })
    },
    forget(account) {
      if (account === undefined) answers.forget()
      else answers.forget((key) => key.startsWith(`[${JSON.stringify(account)},`))
    },
  }
}

/** The address to ask, with the credentials of the URL moved to a header. */
function questionFor({ account, protocol }: StoredLogin, base: string) {
  if (!URL.canParse(base)) throw failure('The authentication server has no valid address')
  const { url: bare, authorization } = splitCredentials(base)
  const url = new URL(bare)
  url.searchParams.set('account', account)
  url.searchParams.set('proto', protocol)
  return {
    url: url.href,
    headers: {
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
  }
}

async function ask(
  { http, now }: { http: Pick<HttpCaller, 'call'>; now: () => number },
  question: ReturnType<typeof questionFor>,
) {
  const { outcome, status, body, error } = await http.call({ method: 'GET', ...question })
  if (status === undefined || error !== undefined)
    throw failure(`The authentication server could not be asked (${outcome})`, error)
  if (status !== 200) throw failure(`The authentication server answered ${status}`)
  const answer = parseAnswer(body.toString('utf8'), now())
  if (!answer) throw failure('The authentication server answered without credentials')
  return answer
}

function failure(message: string, reason?: string): AppError {
  return new AppError('unreachable', message, {
    code: 'HTTPRequestError',
    ...(reason === undefined ? {} : { cause: new Error(reason) }),
  })
}

import type { Login } from '../access.ts'
import { type Answer, bad, goOn, wordsOf } from './command.ts'

/** RFC 9051 §6.2.2 with RFC 4959 (initial response), for PLAIN (RFC 4616): the account for the name, the token for the password. */
export const answerAuthenticate: Answer = async (request) => {
  const { client, tag, args } = request
  const [mechanism, initial, ...rest] = wordsOf(args) ?? []
  if (mechanism === undefined || rest.length > 0)
    return bad(request, 'AUTHENTICATE takes a mechanism')
  if (mechanism.toUpperCase() !== 'PLAIN') {
    client.write(`${tag} NO [CANNOT] Unsupported authentication mechanism`)
    return goOn
  }
  const response = initial ?? (await ask(request))
  if (response === undefined) return { do: 'close' }
  if (response === '*') return bad(request, 'Authentication cancelled')
  const login = readPlain(response)
  return login ? { do: 'log-in', login } : bad(request, 'Invalid SASL response')
}

function ask({ client }: Parameters<Answer>[0]): Promise<string | undefined> {
  client.write('+ ')
  return client.line()
}

/** RFC 4616 §2: authorization id, NUL, name, NUL, password. */
function readPlain(response: string): Login | undefined {
  const [authorize, account, token, ...more] = decode(response).split('\0')
  if (account === undefined || token === undefined || more.length > 0) return undefined
  // Acting for somebody else is nobody's right: such a login fails as any other does.
  return { account, token: authorize === '' || authorize === account ? token : '' }
}

/** RFC 4959 §3: `=` is an empty response; what is no base64 comes to the same. */
function decode(text: string): string {
  const valid = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0
  return valid ? Buffer.from(text, 'base64').toString('utf8') : ''
}

import { decodeResponse, mechanisms } from '../sasl.ts'
import { type Answer, bad, goOn, wordsOf } from './command.ts'

/** RFC 9051 §6.2.2 with RFC 4959 (initial response): the account for the name, the token for the password or the bearer token. */
export const answerAuthenticate: Answer = async (request) => {
  const { client, tag, args } = request
  const [mechanism, initial, ...rest] = wordsOf(args) ?? []
  if (mechanism === undefined || rest.length > 0)
    return bad(request, 'AUTHENTICATE takes a mechanism')
  const read = mechanisms.get(mechanism.toUpperCase())
  if (!read) {
    client.write(`${tag} NO [CANNOT] Unsupported authentication mechanism`)
    return goOn
  }
  const response = initial ?? (await ask(request))
  if (response === undefined) return { do: 'close' }
  if (response === '*') return bad(request, 'Authentication cancelled')
  const login = read(decodeResponse(response))
  return login ? { do: 'log-in', login } : bad(request, 'Invalid SASL response')
}

function ask({ client }: Parameters<Answer>[0]): Promise<string | undefined> {
  client.write('+ ')
  return client.line()
}

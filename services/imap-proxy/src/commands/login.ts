import { type Answer, bad, wordsOf } from './command.ts'

/** RFC 9051 §6.2.3: the account for the name, the access token for the password, or the one password for all. */
export const answerLogin: Answer = (request) => {
  const words = wordsOf(request.args)
  if (words?.length !== 2) return bad(request, 'LOGIN takes an account and a token')
  const [account = '', secret = ''] = words
  return { do: 'log-in', login: { account, secret } }
}

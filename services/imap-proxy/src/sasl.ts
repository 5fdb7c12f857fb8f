import type { Login } from './access.ts'

/** Reads a mechanism's message. Undefined where it is none. */
export type ReadMessage = (message: string) => Login | undefined

/** RFC 4616 §2: authorization id, NUL, name, NUL, password. */
function readPlain(message: string): Login | undefined {
  const [authorize, account, secret, ...more] = message.split('\0')
  if (account === undefined || secret === undefined || more.length > 0) return undefined
  // Acting for somebody else is nobody's right: such a login fails as any other does.
  return { account, secret: authorize === '' || authorize === account ? secret : '' }
}

/** RFC 7628 §3.1: a header with the name as authorization id, then fields between ^A, one of them the token. */
function readOAuthBearer(message: string): Login | undefined {
  const [, name, fields = ''] = /^[ny],a=([^,\x01]*),\x01(.*\x01)\x01$/s.exec(message) ?? []
  const secret = bearerOf(fields)
  if (name === undefined || secret === undefined) return undefined
  // RFC 5801 §4
  return { account: name.replace(/=2C/gi, ',').replace(/=3D/gi, '='), secret }
}

/** Google's "XOAUTH2 Mechanism", which Microsoft has taken over. */
function readXoauth2(message: string): Login | undefined {
  const [, account, fields = ''] = /^user=([^\x01]*)\x01(.*\x01)\x01$/s.exec(message) ?? []
  const secret = bearerOf(fields)
  return account === undefined || secret === undefined ? undefined : { account, secret }
}

function bearerOf(fields: string): string | undefined {
  const field = fields.split('\x01').find((text) => /^auth=/i.test(text))
  return /^auth=Bearer +(\S+)$/i.exec(field ?? '')?.[1]
}

/** What one can log in with, by what it is called. The token is the one a LOGIN takes: we give out no others. */
export const mechanisms: ReadonlyMap<string, ReadMessage> = new Map([
  ['PLAIN', readPlain],
  ['OAUTHBEARER', readOAuthBearer],
  ['XOAUTH2', readXoauth2],
])

/** RFC 4959 §3: `=` is an empty response; what is no base64 comes to the same. */
export function decodeResponse(text: string): string {
  const valid = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0
  return valid ? Buffer.from(text, 'base64').toString('utf8') : ''
}

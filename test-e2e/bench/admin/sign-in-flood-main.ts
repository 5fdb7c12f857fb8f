import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { ownHeaders } from '../../admin/raw-call.ts'

// Client of `benchSignInFlood` in its own process, so that the client does not delay the measured
// calls.

export interface SignInFlood {
  url: string
  addresses: 'one address' | 'changing addresses'
  ms: number
}

/** Numbers of sign-ins at admin-ui by their result. */
export interface SignInFloodResult {
  /** Number of sign-ins whose password was compared. */
  checked: number
  /** Number of sign-ins above a limit, with the status 429 or 503. */
  refused: number
  failed: number
}

/** Results of a sign-in with a wrong password, by HTTP status. 503: no free Postgres connection. */
const results: Readonly<Record<number, keyof SignInFloodResult>> = {
  401: 'checked',
  429: 'refused',
  503: 'refused',
}
const connections = 32
const agent = new Agent({ keepAlive: true, maxSockets: connections })

async function flood({ url, addresses, ms }: SignInFlood): Promise<SignInFloodResult> {
  const result: SignInFloodResult = { checked: 0, refused: 0, failed: 0 }
  const endsAt = performance.now() + ms
  const nextAddress = () =>
    addresses === 'one address' ? '203.0.113.9' : `10.${randomBytes(3).join('.')}`
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) result[await signIn(url, nextAddress())] += 1
    }),
  )
  return result
}

/** Attempts to sign in at admin-ui as an unknown person from a network address. */
function signIn(origin: string, address: string): Promise<keyof SignInFloodResult> {
  const { promise, resolve } = Promise.withResolvers<keyof SignInFloodResult>()
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const headers = { ...ownHeaders(origin, ''), 'x-forwarded-for': address }
  const options = { method: 'POST', agent, headers }
  const call = request(`${origin}/admin/session/sign-in`, options, (response) => {
    response.resume()
    response.once('end', () => resolve(results[response.statusCode ?? 0] ?? 'failed'))
  })
  call.once('error', () => resolve('failed'))
  call.end(JSON.stringify({ email, password: 'wrong password' }))
  return promise
}

process.on('message', (load: SignInFlood) => {
  void flood(load).then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
process.send?.({ port: 0 })

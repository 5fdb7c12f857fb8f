import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import type { OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createOAuth2World } from './oauth2-world.ts'

/**
 * Error response of a token endpoint in the form of a provider, and the expected consequence for an
 * account.
 */
interface TokenErrorCase {
  name: string
  grant: string
  status: number
  contentType: string
  body: object | string
  /** Value of the header `Retry-After` in the response of the token endpoint, in seconds. */
  retryAfter?: string
  /**
   * Expected error of the token renewal. `unconfirmed`: the rejection counts only if it is repeated
   * 1 min later.
   */
  expect: { kind: string; code: string; applicationFault: boolean; unconfirmed?: true }
}

let next: TokenErrorCase
const grants: (string | null)[] = []
const endpoint = createServer((request, response) => {
  void text(request).then((form) => {
    grants.push(new URLSearchParams(form).get('grant_type'))
    const { status, contentType, body, retryAfter } = next
    if (contentType !== '') response.setHeader('content-type', contentType)
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    response.writeHead(status)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}).listen(0, '127.0.0.1')
await once(endpoint, 'listening')
const tokenUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`
const world = await createOAuth2World()
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  endpoint.close()
})

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const serviceKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const serviceGrants = ['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer']

/**
 * Ends the delay until the next token renewal of an account. Returns the length of the delay in
 * seconds.
 */
async function endDelay(account: string): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from retry_at - updated_at)::float8 as seconds from oauth2_tokens
    where account = ${account}`.execute(world.db)
  await sql`update oauth2_tokens set retry_at = now() where account = ${account}`.execute(world.db)
  return rows[0]?.seconds ?? undefined
}

/**
 * Requests an access token with the OAuth2 grant of a test case, for a new account and a new
 * application.
 */
async function requestToken(id: string, provider: OAuth2Provider, { grant }: TokenErrorCase) {
  const redirectUrl = 'http://127.0.0.1:1/oauth'
  await world.insertApp(id, provider, {
    tokenUrl,
    redirectUrl,
    clientId: 'c',
    clientSecret: 'a secret of the client',
    serviceClientEmail: 's@project.example',
  })
  if (provider === 'gmailService') await world.putSecret(id, 'serviceKey', serviceKey)
  if (grant === 'authorization_code')
    return world.complete({ app: id, account: id, code: 'used', codeVerifier: 'v'.repeat(43) })
  const stored = serviceGrants.includes(grant) ? undefined : { refreshToken: 'rt' }
  await world.insertAccount(id, { provider: id, auth: { user: 'u@x.example' } }, stored)
  return world.getCredentials(id)
}

for (const provider of ['google', 'entra'] as const) {
  const path = join(import.meta.dirname, `token-errors/${provider}.json`)
  const cases = JSON.parse(await readFile(path, 'utf8')) as TokenErrorCase[]
  const [forUsers, forServices] = {
    google: ['gmail', 'gmailService'] as const,
    entra: ['outlook', 'outlookService'] as const,
  }[provider]
  test.each(cases.map((each) => [each.name, each] as const))(
    `failureOfToken: ${provider}, %s`,
    async (name, each) => {
      next = each
      const id = `${provider}-${name}`
      const type = serviceGrants.includes(each.grant) ? forServices : forUsers
      let error = await requestToken(id, type, each).catch((reason: unknown) => reason)
      expect(grants.at(-1)).toBe(each.grant)
      const { kind, code, applicationFault, unconfirmed } = each.expect
      if (unconfirmed) {
        expect(error).toMatchObject({ kind: 'unreachable', code: 'ETokenRefresh' })
        // The rejected token request is not repeated before the delay of one minute is over.
        const requested = grants.length
        await expect(world.getCredentials(id)).rejects.toMatchObject({ kind: 'unreachable' })
        expect(grants).toHaveLength(requested)
        expect(await endDelay(id)).toBe(60)
        error = await eventually(async () => {
          const repeated = await world.getCredentials(id).catch((reason: unknown) => reason)
          expect(repeated).toMatchObject({ kind })
          return repeated
        })
      }
      if (each.retryAfter !== undefined) expect(await endDelay(id)).toBe(Number(each.retryAfter))
      expect(error).toMatchObject({ kind, code })
      const { info } = (error as AppError).extras
      if (kind === 'rejected')
        expect(info?.['tokenRequest']).toHaveProperty(applicationFault ? 'flag' : 'userFlag')
      const state = await world.db
        .selectFrom('oauth2AppStates')
        .select('lastError')
        .where('app', '=', id)
        .executeTakeFirst()
      expect(state?.lastError?.serverResponseCode).toBe(applicationFault ? code : undefined)
    },
  )
}

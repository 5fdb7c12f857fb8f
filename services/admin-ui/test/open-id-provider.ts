import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Small OpenID provider of the tests, which can change its ID tokens at will. */
export class TestIdProvider {
  readonly clientSecret = 'client-secret'
  /** Claims of the person who signs in, except `sub`, in the reply of the userinfo endpoint. */
  claims: Record<string, unknown> = {}
  sub = 'subject'
  /** Changed claims of ID tokens, such as a wrong issuer. */
  changes: Record<string, unknown> = {}
  /** Private key that signs ID tokens. If it is not the published key, the ID tokens are forged. */
  key: KeyObject
  readonly #codes = new Map<string, URLSearchParams>()
  readonly #published: KeyObject
  readonly #server: Server = createServer((request, response) => {
    void this.#reply(request).then((body) => {
      response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? { error: 'invalid_grant' }))
    })
  })

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.key = privateKey
    this.#published = publicKey
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  /**
   * Signs a person in at the OpenID provider. Returns the code and the state with which the browser
   * returns.
   */
  authorize(address: string): URLSearchParams {
    const { searchParams } = new URL(address)
    const code = randomUUID()
    this.#codes.set(code, searchParams)
    const { issuer } = this
    return new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: issuer })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #reply(request: IncomingMessage): Promise<object | undefined> {
    const { issuer, sub } = this
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
        }
      case '/jwks':
        return {
          keys: [
            { ...this.#published.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' },
          ],
        }
      case '/userinfo':
        return { sub, ...this.claims }
      default:
        return this.#tokens(new URLSearchParams(await text(request)))
    }
  }

  /**
   * Reply of the token endpoint of the OpenID provider. A code counts once and needs a PKCE
   * verifier.
   */
  #tokens(body: URLSearchParams): object | undefined {
    const code = body.get('code') ?? ''
    const requested = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = hash('sha256', body.get('code_verifier') ?? '', 'base64url')
    if (!requested || requested.get('code_challenge') !== challenge) return undefined
    if (body.get('client_secret') !== this.clientSecret) return undefined
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: this.issuer,
      sub: this.sub,
      aud: requested.get('client_id'),
      nonce: requested.get('nonce'),
      iat: now,
      exp: now + 300,
      ...this.changes,
    }
    const parts = [{ alg: 'RS256', kid: 'k' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const signature = sign('sha256', Buffer.from(parts.join('.')), this.key)
    const idToken = [...parts, signature.toString('base64url')].join('.')
    return { access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: idToken }
  }
}

import { readFile } from 'node:fs/promises'
import { ExternalAccount } from '@posthorn/contracts/schemas/external-account'
import { matches } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import { TtlCache } from '@posthorn/flow'
import type { CallResult, HttpCaller } from '@posthorn/net/http-caller'
import { parseObject } from '../parse-object.ts'
import type { AssertionClaims } from './assertion.ts'
import { unreachableCode } from './token-failure.ts'

interface FederationOptions {
  http: Pick<HttpCaller, 'call'>
  /** Only file from which identity tokens may be read. If undefined, no file may be read. */
  identityTokenFile?: string | undefined
  now?: () => number
}

/** OAuth2 application without a service key: Workload Identity Federation signs for it. */
interface FederatedApplication {
  /** Stored configuration of Workload Identity Federation (JSON). */
  externalAccount?: string | undefined
  serviceClientEmail?: string | undefined
}

interface FederatedToken {
  accessToken: string
  /** Time until which the federated token is cached, in epoch milliseconds. */
  expiresAt: number
}

/** Time before the expiry of a federated token from which the token is replaced. */
const marginMs = 60_000
/** Maximum length of an identity token, 16 KiB. */
const maxTokenLength = 16_384
/** Google's scope for calls to the IAM Credentials API. */
const cloudScope = 'https://www.googleapis.com/auth/cloud-platform'
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange'
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
const credentialsApi = 'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts'

/**
 * Signs assertions of a Google service account without its key, by Workload Identity Federation. An
 * identity token of the operator's platform is exchanged for a federated token (RFC 8693). With the
 * federated token, the IAM Credentials API signs. Federated tokens are cached until 1 min before
 * they expire.
 */
export class Federation {
  readonly #options: FederationOptions
  readonly #tokens: TtlCache<string, FederatedToken>

  constructor(options: FederationOptions) {
    this.#options = options
    this.#tokens = new TtlCache({ max: 100, clock: options.now ?? Date.now })
  }

  /**
   * Signs the claims of a service account's assertion and returns the JWT.
   *
   * @throws AppError `rejected` if the configuration or Google's response does not permit the
   * signature, `unreachable` if Google or the source of the identity token does not respond
   */
  async sign(
    { externalAccount = '', serviceClientEmail = '' }: FederatedApplication,
    claims: AssertionClaims & { iat: number; exp: number },
  ): Promise<string> {
    const { accessToken } = await this.#tokens.load(
      externalAccount,
      () => this.#exchange(externalAccount),
      { expiresAt: ({ expiresAt }) => expiresAt - marginMs },
    )
    const { signedJwt } = await this.#post(
      `${credentialsApi}/${encodeURIComponent(serviceClientEmail)}:signJwt`,
      JSON.stringify({ payload: JSON.stringify(claims) }),
      { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    )
    if (typeof signedJwt !== 'string') throw rejected('Google returned no signature')
    return signedJwt
  }

  async #exchange(externalAccount: string): Promise<FederatedToken> {
    const config = parseObject(externalAccount)
    if (!matches(ExternalAccount, config)) throw rejected('The external account is not valid')
    const { audience, subject_token_type, token_url, credential_source } = config
    const form = new URLSearchParams({
      grant_type: exchange,
      requested_token_type: accessTokenType,
      audience,
      scope: cloudScope,
      subject_token_type,
      subject_token: await this.#readIdentityToken(credential_source),
    })
    const response = await this.#post(token_url, form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    const { access_token: accessToken, expires_in: seconds } = response
    if (typeof accessToken !== 'string' || /[^\x21-\x7e]/.test(accessToken))
      throw rejected('Google returned no federated token')
    const lifetimeMs = typeof seconds === 'number' ? seconds * 1_000 : 0
    return { accessToken, expiresAt: (this.#options.now ?? Date.now)() + lifetimeMs }
  }

  async #readIdentityToken(source: ExternalAccount['credential_source']): Promise<string> {
    const text = 'file' in source ? await this.#readFile(source.file) : await this.#fetch(source)
    const { type = 'text', subject_token_field_name: field = '' } = source.format ?? {}
    const token = type === 'json' ? parseObject(text)?.[field] : text.trim()
    if (typeof token !== 'string' || token === '' || token.length > maxTokenLength)
      throw rejected('The source of the identity token returned none')
    return token
  }

  /**
   * Reads the file of the identity token for Workload Identity Federation. Any other file is
   * refused: a caller who may register applications could otherwise have another file sent to
   * Google.
   */
  async #readFile(path: string): Promise<string> {
    if (path !== this.#options.identityTokenFile)
      throw rejected('The file of the identity token is not SVC_IDENTITY_TOKEN_FILE')
    try {
      return await readFile(path, 'utf8')
    } catch (cause) {
      throw unreachable('The file of the identity token cannot be read', cause)
    }
  }

  async #fetch(source: Extract<ExternalAccount['credential_source'], { url: string }>) {
    const { url, headers = {} } = source
    const result = await this.#options.http.call({ method: 'GET', url, headers })
    return bodyOf(result, 'The source of the identity token')
  }

  async #post(url: string, body: string, headers: Record<string, string>) {
    const result = await this.#options.http.call({ method: 'POST', url, body, headers })
    return parseObject(bodyOf(result, new URL(url).host)) ?? {}
  }
}

function bodyOf({ status, body, error, outcome }: CallResult, source: string): string {
  if (status === undefined || error !== undefined || status === 429 || status >= 500)
    throw unreachable(`${source} did not respond (${status ?? outcome})`, error)
  const text = body.toString('utf8')
  if (status === 200) return text
  throw rejected(`${source} returned ${status}${reasonIn(text)}`)
}

/**
 * Error code in a response of Google's token service or APIs. The error text is left out, because
 * it may repeat the input.
 */
function reasonIn(text: string): string {
  const { error } = parseObject(text) ?? {}
  const code = typeof error === 'string' ? error : statusIn(error)
  return /^\w{1,64}$/.test(code) ? ` ${code}` : ''
}

function statusIn(error: unknown): string {
  const status = typeof error === 'object' && error !== null && 'status' in error && error.status
  return typeof status === 'string' ? status : ''
}

function rejected(message: string): AppError {
  return new AppError('rejected', message, { code: 'TokenGenerationError' })
}

function unreachable(message: string, cause?: unknown): AppError {
  return new AppError('unreachable', message, { code: unreachableCode, cause })
}

import { type Destination, permits } from '@posthorn/contracts/schemas/destination'
import { describeProvider } from '@posthorn/contracts/schemas/oauth2-app'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import type { Logger, Metrics } from '@posthorn/telemetry'

/** Password or access token with the only mail server that may receive it. */
type BoundLogin = ({ pass: string } | { accessToken: string }) & {
  /**
   * Mail server that may receive the password or access token; absent for a password that was
   * stored by an earlier release.
   */
  destination?: Destination
}

/**
 * Binding of a sealed (encrypted) secret: the use that the secret is limited to. Which members are
 * present depends on the kind of secret.
 */
export interface SecretBinding {
  /** Mail server that may receive a password, or an access token that the caller manages. */
  to?: Destination
  /**
   * Marks a sealed (encrypted) access token, so that the token is never issued as a password.
   * Absent for other secrets.
   */
  form?: 'accessToken'
  /** OAuth2 application to which the sealed (encrypted) tokens belong. */
  app?: string
  /** OAuth2 provider of the sealed (encrypted) tokens, or of an application's sealed secrets. */
  provider?: string
  /**
   * Mail servers that may receive the access tokens of an OAuth2 grant. Absent until the first use
   * of a grant from a user's consent.
   */
  servers?: Destination[]
}

type ProviderApp = Parameters<typeof describeProvider>[0]
/** OAuth2 application with the members that a binding (limit of the use) of tokens contains. */
export type AppForBinding = ProviderApp & { id: string }

/**
 * Binding of the tokens of an OAuth2 application: the only use that the sealed (encrypted) tokens
 * permit.
 */
export function tokenBindingOf(app: AppForBinding): { app: string; provider: string } {
  return { app: app.id, provider: describeProvider(app) }
}

interface SealedSecret {
  sealed: string
  context: string
}

/** Stored password for the mail server of an account, or for a gateway (shared outgoing server). */
interface StoredPassword extends SealedSecret {
  /** Mail server that is registered for the account, or as the gateway (shared outgoing server). */
  destination: Destination
}

export interface BoundSecretsOptions {
  unsealer: Unsealer
  log: Logger
  metrics: Metrics
  /** If true, sealed (encrypted) secrets without a binding (limit of their use) are refused. */
  config: { requireBoundSecrets?: boolean }
}

/**
 * Unseals (decrypts) secrets only for the use with which they were sealed. A service that can
 * change a registration cannot change the sealed use, and therefore cannot redirect a secret to
 * another server.
 */
export class BoundSecrets {
  readonly #options: BoundSecretsOptions
  readonly #refused

  constructor(options: BoundSecretsOptions) {
    this.#options = options
    this.#refused = options.metrics.counter({
      name: 'credentials_refused_total',
      help: 'Secrets not issued, because the registration names another use than their seal.',
      labels: ['reason'],
    })
  }

  /**
   * Unseals (decrypts) the login of a mail server.
   *
   * @throws AppError `rejected` if the login was sealed for another server or user
   */
  async openServerLogin({ sealed, context, destination }: StoredPassword): Promise<BoundLogin> {
    const { value, binding } = await this.#options.unsealer.open(sealed, context)
    const { to, form }: SecretBinding = binding ?? {}
    this.assertUse(context, { isBound: to !== undefined, fits: !to || permits(to, destination) })
    const login = form === 'accessToken' ? { accessToken: value } : { pass: value }
    return { ...login, ...(to && { destination: to }) }
  }

  /**
   * Unseals (decrypts) a secret of an OAuth2 application.
   *
   * @throws AppError `rejected` if the secret is for another provider
   */
  async openAppSecret({ sealed, context }: SealedSecret, app: ProviderApp): Promise<string> {
    const { value, binding } = await this.#options.unsealer.open(sealed, context)
    const { provider }: SecretBinding = binding ?? {}
    this.assertUse(context, { isBound: provider !== undefined, fits: isOf(app, provider) })
    return value
  }

  /**
   * Unseals (decrypts) the OAuth2 tokens of an account.
   *
   * @throws AppError `rejected` if the tokens are of another application or provider
   */
  async openTokens({ sealed, context }: SealedSecret, app: AppForBinding) {
    const opened = await this.#options.unsealer.open(sealed, context)
    const binding: SecretBinding = opened.binding ?? {}
    this.assertUse(context, useOf(binding, app))
    return { value: opened.value, binding }
  }

  /**
   * Unseals (decrypts) the OAuth2 tokens of an application. Undefined if the tokens belong to
   * another application, because the account changed its application after the tokens were sealed.
   */
  async findTokens(
    { sealed, context }: SealedSecret,
    app: AppForBinding,
  ): Promise<string | undefined> {
    const { value, binding = {} } = await this.#options.unsealer.open(sealed, context)
    const { isBound, fits } = useOf(binding, app)
    return fits && (isBound || !this.#options.config.requireBoundSecrets) ? value : undefined
  }

  /**
   * Checks that an unsealed secret is used as its binding (limit of the use) permits.
   *
   * @throws AppError `rejected` if the use differs from the binding, or if a required binding is
   * missing
   */
  assertUse(context: string, { isBound, fits }: { isBound: boolean; fits: boolean }): void {
    const reason = fits ? 'unbound' : 'mismatch'
    if (fits && (isBound || !this.#options.config.requireBoundSecrets)) return
    this.#refused.inc({ reason })
    this.#options.log.error({ context, reason }, 'stored secret refused for this registration')
    throw new AppError(
      'rejected',
      'The stored login is for another server, user or application, enter it again',
      { code: 'AuthenticationFails' },
    )
  }
}

function useOf({ app: id, provider }: SecretBinding, app: AppForBinding) {
  const isBound = id !== undefined
  return { isBound, fits: (!isBound || id === app.id) && isOf(app, provider) }
}

function isOf(app: ProviderApp, provider: string | undefined): boolean {
  return provider === undefined || provider === describeProvider(app)
}

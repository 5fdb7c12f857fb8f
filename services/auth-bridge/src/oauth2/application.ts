import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { BoundSecrets } from '../bound-secrets.ts'
import { appSecretSealContext, findApp } from '../store/oauth2-apps.ts'
import type { BaseScopes, ResolvedGrant } from './grant.ts'
import { type Profile, profileOf } from './profile.ts'

/** OAuth2 application with its secrets in plaintext. */
export interface Application {
  id: string
  provider: OAuth2Provider
  config: OAuth2AppConfig
  profile: Profile
  clientId: string
  clientSecret?: string
  /**
   * Private key (PEM) of a service account. For `outlookService`, the PEM text also has the
   * certificate.
   */
  serviceKey?: string
  /** Configuration of Workload Identity Federation for a service account (JSON). */
  externalAccount?: string
}

interface AppDeps {
  db: Db
  secrets: BoundSecrets
}

/**
 * Loads the OAuth2 application to which an OAuth2 grant belongs.
 *
 * @throws AppError `internal` `InvalidBaseScopes` if the tokens of the application are not for the
 * account's kind of mail system; see `loadApplication`
 */
export async function loadGrantApplication(
  deps: AppDeps,
  { app: id, baseScopes }: Pick<ResolvedGrant, 'app' | 'baseScopes'>,
): Promise<Application> {
  const app = await loadApplication(deps, id)
  const { baseScopes: actual = 'imap' } = app.config
  if (actual !== baseScopes)
    throw new AppError('internal', unsuitable[baseScopes], { code: 'InvalidBaseScopes' })
  return app
}

const unsuitable: Record<BaseScopes, string> = {
  imap: 'The OAuth2 application of this account is not for mail servers',
  api: 'The OAuth2 application of this account is not for the API of its provider',
}

function appNotFound(problem: 'was not found' | 'is disabled'): AppError {
  return new AppError('internal', `The OAuth2 application of this account ${problem}`, {
    code: 'AppNotFound',
  })
}

/**
 * Loads an OAuth2 application and unseals (decrypts) its secrets.
 *
 * @throws AppError `internal` `AppNotFound` if the application was deleted or is disabled
 */
export async function loadApplication(
  { db, secrets: opener }: AppDeps,
  id: string,
): Promise<Application> {
  const stored = await findApp(db, id)
  if (!stored) throw appNotFound('was not found')
  if (!stored.enabled) throw appNotFound('is disabled')
  const { provider, config, secrets } = stored
  const unsealed = await Promise.all(
    secrets.map(async ({ kind, sealed }) => [
      kind,
      await opener.openAppSecret({ sealed, context: appSecretSealContext(id, kind) }, stored),
    ]),
  )
  return {
    id,
    provider,
    config,
    profile: profileOf(provider, config),
    clientId: config.clientId ?? config.serviceClient ?? '',
    ...(Object.fromEntries(unsealed) as Pick<
      Application,
      'clientSecret' | 'serviceKey' | 'externalAccount'
    >),
  }
}

/**
 * Checks that an OAuth2 application requires the consent of users.
 *
 * @throws AppError `invalid` for service applications, which get tokens without a consent
 */
export function assertConsentBased({ provider }: Application): void {
  if (oauth2ProviderTraits[provider].login === 'service')
    throw new AppError('invalid', 'Accounts of this application are registered without consent', {
      code: 'UnsupportedOperation',
    })
}

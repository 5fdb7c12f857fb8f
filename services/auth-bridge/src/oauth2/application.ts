import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { findApp, placeOfAppSecret } from '../store/oauth2-apps.ts'
import { type Profile, profileOf } from './profile.ts'

/** An application, its secrets open. */
export interface Application {
  id: string
  provider: OAuth2Provider
  config: OAuth2AppConfig
  profile: Profile
  clientId: string
  clientSecret?: string
  serviceKey?: string
}

/**
 * The application that mail servers are logged in to by.
 *
 * @throws AppError `internal` `InvalidBaseScopes` where its tokens are for an API, and those of `openApplication`
 */
export async function openMailApplication(
  deps: { db: Db; opener: Unsealer },
  id: string,
): Promise<Application> {
  const app = await openApplication(deps, id)
  if ((app.config.baseScopes ?? 'imap') !== 'imap')
    throw new AppError(
      'internal',
      'The OAuth2 application of this account is not for mail servers',
      {
        code: 'InvalidBaseScopes',
      },
    )
  return app
}

/**
 * The application that an account refers to.
 *
 * @throws AppError `internal` `AppNotFound` where it was deleted or is not enabled
 */
export async function openApplication(
  { db, opener }: { db: Db; opener: Unsealer },
  id: string,
): Promise<Application> {
  const stored = await findApp(db, id)
  if (!stored?.enabled)
    throw new AppError('internal', 'The OAuth2 application of this account was not found', {
      code: 'AppNotFound',
    })
  const { provider, config, secrets } = stored
  const opened = await Promise.all(
    secrets.map(async ({ kind, sealed }) => [
      kind,
      await opener.unseal(sealed, placeOfAppSecret(id, kind)),
    ]),
  )
  return {
    id,
    provider,
    config,
    profile: profileOf(provider, config),
    clientId: config.clientId ?? config.serviceClient ?? '',
    ...(Object.fromEntries(opened) as Pick<Application, 'clientSecret' | 'serviceKey'>),
  }
}

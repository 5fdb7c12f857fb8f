import { on } from '@posthorn/bus'
import { revokeAccountGrant, revokeOAuth2Grant } from '@posthorn/contracts'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  None,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi'
import { placeOfPassword } from '../store/credentials.ts'
import { findHolding, findOAuth2Account, placeOfTokens } from '../store/oauth2-tokens.ts'
import { type Application, openApplication } from './application.ts'
import type { OAuth2Deps } from './deps.ts'
import { clientOf, findEndpoints, serverOf } from './endpoints.ts'
import { readGrant, type StoredGrant } from './grant.ts'
import { fetchThrough } from './http-fetch.ts'

/** Gives a grant back. That it could not be is no failure of whoever asks: the person can do the same at the provider. */
export function onRevokeOAuth2Grant(deps: OAuth2Deps) {
  return on(revokeOAuth2Grant, async ({ app: id, account, sealedGrant }) => {
    try {
      const app = await openApplication(deps, id)
      const text = await deps.opener.unseal(sealedGrant, placeOfPassword(account, 'oauth2'))
      return { revoked: await revoke(deps, app, readGrant(text)) }
    } catch {
      return { revoked: false }
    }
  })
}

/** The same for what an account lives by. */
export function onRevokeAccountGrant(deps: OAuth2Deps) {
  return on(revokeAccountGrant, async ({ account }) => {
    try {
      const { oauth2 } = (await findOAuth2Account(deps.db, account)) ?? {}
      const { tokens, grant } = await findHolding(deps.db, account)
      const sealed = tokens ?? grant
      if (!oauth2 || oauth2.useAuthServer || sealed === undefined) return { revoked: false }
      const place = tokens ? placeOfTokens(account) : placeOfPassword(account, 'oauth2')
      const app = await openApplication(deps, oauth2.provider)
      return {
        revoked: await revoke(deps, app, readGrant(await deps.opener.unseal(sealed, place))),
      }
    } catch {
      return { revoked: false }
    }
  })
}

async function revoke(
  deps: OAuth2Deps,
  app: Application,
  { refreshToken, accessToken }: StoredGrant,
): Promise<boolean> {
  const token = refreshToken ?? accessToken
  const endpoints = await findEndpoints(deps, app)
  if (token === undefined || endpoints.revokeUrl === undefined) return false
  const { clientSecret } = app
  const by = endpoints.byBasic ? ClientSecretBasic : ClientSecretPost
  const client = clientSecret === undefined ? None() : by(clientSecret)
  const response = await revocationRequest(serverOf(endpoints), clientOf(app), client, token, {
    [customFetch]: fetchThrough(deps.http),
    [allowInsecureRequests]: true,
  })
  await processRevocationResponse(response)
  return true
}

import { on } from '@posthorn/bus'
import { revokeOAuth2Grant } from '@posthorn/contracts'
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
import { type Application, openApplication } from './application.ts'
import type { OAuth2Deps } from './deps.ts'
import { clientOf, findEndpoints, serverOf } from './endpoints.ts'
import { readGrant } from './grant.ts'
import { fetchThrough } from './http-fetch.ts'

/** Gives a grant back. That it could not be is no failure of whoever asks: the person can do the same at the provider. */
export function onRevokeOAuth2Grant(deps: OAuth2Deps) {
  return on(revokeOAuth2Grant, async ({ app: id, account, sealedGrant }) => {
    try {
      const app = await openApplication(deps, id)
      const text = await deps.opener.open(sealedGrant, placeOfPassword(account, 'oauth2'))
      const { refreshToken, accessToken } = readGrant(text)
      const token = refreshToken ?? accessToken
      return { revoked: token !== undefined && (await revoke(deps, app, token)) }
    } catch {
      return { revoked: false }
    }
  })
}

async function revoke(deps: OAuth2Deps, app: Application, token: string): Promise<boolean> {
  const endpoints = await findEndpoints(deps, app)
  if (endpoints.revokeUrl === undefined) return false
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

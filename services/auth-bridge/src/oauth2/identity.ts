import type { HttpCaller } from '@posthorn/net'
import { AppError } from '@posthorn/errors'
import type { Application } from './application.ts'
import { findEndpoints } from './endpoints.ts'
import { type Identity, identityOf, readIdToken } from './id-token.ts'
import type { TokenAnswer } from './token-endpoint.ts'
import { parseObject } from '../parse-object.ts'

/**
 * Whose grant it is: as the id token has it, else as the provider says when asked. Where it is `unverified`, that is who somebody
 * claims to be.
 *
 * @throws AppError `unreachable` where the provider cannot be asked, `rejected` where it names no address
 */
export async function identify(
  { http }: { http: Pick<HttpCaller, 'call'> },
  app: Application,
  { accessToken, idToken }: TokenAnswer,
): Promise<Identity & { email: string }> {
  const told = readIdToken(idToken, app.clientId)
  if (told?.email !== undefined) return { ...told, email: told.email }
  const { userinfoUrl } = await findEndpoints({ http }, app)
  const asked =
    userinfoUrl === undefined ? {} : await ask({ http }, app, { userinfoUrl, accessToken })
  const { email } = asked
  if (email === undefined || isAnother(asked, told))
    throw new AppError('rejected', 'The provider does not say whose mailbox it is')
  return { ...told, ...asked, email }
}

/** OpenID Connect Core 1.0 §5.3.2: an answer about somebody else must not be used. */
function isAnother({ subject }: Identity, told: Identity | undefined): boolean {
  return told?.subject !== undefined && subject !== undefined && subject !== told.subject
}

async function ask(
  { http }: { http: Pick<HttpCaller, 'call'> },
  { profile }: Application,
  { userinfoUrl, accessToken }: { userinfoUrl: string; accessToken: string },
): Promise<Identity> {
  const url = new URL(userinfoUrl)
  if (profile.userinfoByQuery) url.searchParams.set('access_token', accessToken)
  const { status, body, error } = await http.call({
    method: 'GET',
    url: url.href,
    headers: {
      accept: 'application/json',
      ...(profile.userinfoByQuery ? {} : { authorization: `Bearer ${accessToken}` }),
    },
  })
  if (status === undefined || error !== undefined || status >= 500)
    throw new AppError('unreachable', 'The provider could not be asked whose mailbox it is', {
      code: 'ETokenRefresh',
    })
  const claims = status === 200 ? parseObject(body.toString('utf8')) : undefined
  return claims ? identityOf(claims) : {}
}

import { on } from '@posthorn/bus'
import { type OAuth2CheckStep, verifyOAuth2App } from '@posthorn/contracts'
import { messageOf } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from '../oauth2/access-tokens.ts'
import { type Application, loadApplication } from '../oauth2/application.ts'
import { signAssertion } from '../oauth2/assertion.ts'
import { findEndpoints } from '../oauth2/endpoints.ts'
import { resolveGrant } from '../oauth2/grant.ts'
import { requestToken } from '../oauth2/token-endpoint.ts'

type Deps = TokenDeps & { tokens: AccessTokens }

/** Checks an application step by step. The first failed step is the one to fix. */
export function onVerifyOAuth2App(deps: Deps) {
  return on(verifyOAuth2App, async ({ app: id, account }) => {
    let app: Application
    try {
      app = await loadApplication(deps, id)
    } catch (error) {
      return { steps: [failed(steps.enabled, error)] }
    }
    return {
      steps: [
        ok(steps.enabled),
        await check(steps.endpoints, async () => (await findEndpoints(deps, app)).tokenUrl),
        await checkSigning(app),
        await checkToken(deps, app, account),
      ],
    }
  })
}

const steps = {
  enabled: {
    id: 'enabled',
    label: 'Application is enabled and its secrets can be unsealed',
    hint: 'Enable the application; if it is enabled, see the log of auth-bridge',
  },
  endpoints: {
    id: 'endpoints',
    label: 'Token endpoint is configured or published by the issuer',
    hint: 'Check the issuer and the egress policy of auth-bridge',
  },
  sign: {
    id: 'sign',
    label: 'Service key can sign',
    hint: 'Store the private key of the service account as PEM',
  },
  token: {
    id: 'token',
    label: 'Provider issues an access token',
    hint: 'See the message: it is the response of the provider',
  },
}
type Step = (typeof steps)[keyof typeof steps]

async function checkSigning({ provider, serviceKey = '' }: Application): Promise<OAuth2CheckStep> {
  if (provider !== 'gmailService') return skipped(steps.sign, 'The provider uses no service key')
  const claims = { iss: '', sub: '', scope: '', aud: '' }
  return check(steps.sign, () => {
    signAssertion(claims, serviceKey, Date.now())
  })
}

async function checkToken(
  deps: Deps,
  app: Application,
  account: string | undefined,
): Promise<OAuth2CheckStep> {
  const grant = account === undefined ? undefined : await resolveGrant(deps.db, account, 'imap')
  if (grant && grant.app !== app.id)
    return failed(steps.token, new Error('The account belongs to another application'))
  // A stored token would not prove that the current client secret is valid.
  if (grant && !grant.useAuthServer)
    return check(steps.token, () => deps.tokens.get(grant, { fresh: true, insist: true }))
  if (app.provider === 'outlookService')
    return check(steps.token, () => requestToken(deps, app, { kind: 'client_credentials' }))
  if (app.provider === 'gmailService' && account?.includes('@'))
    return check(steps.token, () =>
      requestToken(deps, app, { kind: 'jwt-bearer', subject: account }),
    )
  return skipped(steps.token, 'No account with a renewable token was named')
}

async function check(step: Step, work: () => unknown): Promise<OAuth2CheckStep> {
  try {
    const result = await work()
    return { ...ok(step), message: typeof result === 'string' ? result : null }
  } catch (error) {
    return failed(step, error)
  }
}

function ok({ id, label }: Step): OAuth2CheckStep {
  return { id, label, status: 'ok', message: null }
}

function skipped({ id, label }: Step, message: string): OAuth2CheckStep {
  return { id, label, status: 'skip', message }
}

function failed({ id, label, hint }: Step, error: unknown): OAuth2CheckStep {
  return { id, label, status: 'fail', message: messageOf(error), hint }
}

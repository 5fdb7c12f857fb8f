import { on } from '@posthorn/bus'
import { verifyOAuth2App } from '@posthorn/contracts/commands/oauth2'
import type { OAuth2CheckStep } from '@posthorn/contracts/schemas/oauth2-app'
import { AppError, messageOf } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from '../oauth2/access-tokens.ts'
import { type Application, loadApplication } from '../oauth2/application.ts'
import { signClientAssertion } from '../oauth2/assertion.ts'
import { findEndpoints } from '../oauth2/endpoints.ts'
import { isOwnMailbox, resolveGrant } from '../oauth2/grant.ts'
import {
  canRead,
  type MailboxToken,
  type OpenProvider,
  readMailboxAddress,
} from '../oauth2/mailbox-profile.ts'
import { signServiceAssertion } from '../oauth2/sign-service-assertion.ts'
import { requestToken } from '../oauth2/token-endpoint.ts'
import { requestPubSubToken } from './get-pubsub-token.ts'

export type VerifyDeps = TokenDeps & { tokens: AccessTokens; openProvider: OpenProvider }

/**
 * Checks an OAuth2 application step by step. The first step that fails shows the operator which
 * setting to repair.
 */
export function onVerifyOAuth2App(deps: VerifyDeps) {
  return on(verifyOAuth2App, async ({ app: id, account }) => {
    let app: Application
    try {
      app = await loadApplication(deps, id)
    } catch (error) {
      return { steps: [failed(loadStepOf(error), error)] }
    }
    const before = [
      ok(steps.enabled),
      await check(steps.endpoints, async () => (await findEndpoints(deps, app)).tokenUrl),
      await checkSigning(deps, app),
    ]
    const issued: MailboxToken[] = []
    const token = await checkToken(deps, { app, account }, (each) => void issued.push(each))
    const ofApi = app.config.baseScopes === 'api' ? [await checkProfile(deps, app, issued[0])] : []
    return { steps: [...before, token, ...ofApi] }
  })
}

const steps = {
  enabled: {
    id: 'enabled',
    label: 'Application is enabled and its secrets can be unsealed',
    hint: 'Enable the application',
  },
  unsealed: {
    id: 'enabled',
    label: 'Application is enabled and its secrets can be unsealed',
    hint: 'Store the secrets of the application again, and see the log of auth-bridge',
  },
  unavailable: {
    id: 'enabled',
    label: 'Application is enabled and its secrets can be unsealed',
    hint: 'Try again; if the failure continues, see the log of auth-bridge',
  },
  endpoints: {
    id: 'endpoints',
    label: 'Token endpoint is configured or published by the issuer',
    hint: 'Check the issuer and the egress policy of auth-bridge',
  },
  sign: {
    id: 'sign',
    label: 'Service key, certificate or federated identity can sign',
    hint: 'Store the private key as PEM, for Outlook with its certificate; or check the federation',
  },
  token: {
    id: 'token',
    label: 'Provider issues an access token',
    hint: 'See the message: it is the response of the provider',
  },
  profile: {
    id: 'profile',
    label: 'API of the provider returns the profile of the mailbox',
    hint: 'Enable the API at the provider, and check the scopes and the licence of the mailbox',
  },
}
type Step = (typeof steps)[keyof typeof steps]

async function checkSigning(deps: VerifyDeps, app: Application): Promise<OAuth2CheckStep> {
  const { provider, clientId, serviceKey } = app
  const audience = app.profile.tokenUrl ?? ''
  if (provider === 'gmailService')
    return check(steps.sign, async () => {
      await signServiceAssertion(deps, app, { subject: clientId, audience })
    })
  if (provider !== 'outlookService' || serviceKey === undefined)
    return skipped(steps.sign, 'The application uses no service key')
  return check(steps.sign, () => {
    signClientAssertion({ clientId, tokenUrl: audience }, serviceKey, Date.now())
  })
}

async function checkToken(
  deps: VerifyDeps,
  { app, account }: { app: Application; account: string | undefined },
  onIssued: (token: MailboxToken) => void,
): Promise<OAuth2CheckStep> {
  if (app.config.baseScopes === 'pubsub')
    return check(steps.token, async () => void (await requestPubSubToken(deps, app)))
  const grant = account === undefined ? undefined : await resolveGrant(deps.db, account)
  if (grant && grant.app !== app.id)
    return failed(steps.token, new Error('The account belongs to another application'))
  // Requests a new access token. A stored token would not prove that the current client secret of
  // the application is valid.
  if (grant && !grant.useAuthServer)
    return check(steps.token, async () => {
      const { accessToken } = await deps.tokens.get(grant, { fresh: true, insist: true })
      onIssued({ accessToken, user: grant.user, own: isOwnMailbox(app.provider, grant) })
    })
  if (app.provider === 'outlookService')
    return check(steps.token, async () => {
      const { accessToken } = await requestToken(deps, app, { kind: 'client_credentials' })
      if (account?.includes('@')) onIssued({ accessToken, user: account })
    })
  if (app.provider === 'gmailService' && account?.includes('@'))
    return check(steps.token, async () => {
      const { accessToken } = await requestToken(deps, app, {
        kind: 'jwt-bearer',
        subject: account,
      })
      onIssued({ accessToken, user: account, own: true })
    })
  return skipped(steps.token, 'No account with a renewable token was named')
}

/** Reads the profile of a mailbox with the access token that was just issued. */
async function checkProfile(
  { openProvider }: VerifyDeps,
  app: Application,
  mailbox: MailboxToken | undefined,
): Promise<OAuth2CheckStep> {
  if (!canRead(app)) return skipped(steps.profile, 'The scopes permit sending only')
  if (!mailbox) return skipped(steps.profile, 'There is no access token of a mailbox')
  return check(steps.profile, () => readMailboxAddress(openProvider, app, mailbox))
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

/**
 * Verification step that is reported as failed if the OAuth2 application to verify could not be
 * loaded.
 */
function loadStepOf(error: unknown): Step {
  if (!(error instanceof AppError)) return steps.unavailable
  if (error.code === 'AppNotFound') return steps.enabled
  return error.kind === 'rejected' ? steps.unsealed : steps.unavailable
}

function failed({ id, label, hint }: Step, error: unknown): OAuth2CheckStep {
  return { id, label, status: 'fail', message: messageOf(error), hint }
}

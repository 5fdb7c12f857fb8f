import { on } from '@posthorn/bus'
import { type OAuth2CheckStep, verifyOAuth2App } from '@posthorn/contracts'
import { messageOf } from '@posthorn/errors'
import type { AccessTokens, TokenDeps } from './access-tokens.ts'
import { type Application, openApplication } from './application.ts'
import { signAssertion } from './assertion.ts'
import { findEndpoints } from './endpoints.ts'
import { reportApp } from './report-app.ts'
import { requestToken } from './token-endpoint.ts'
import { whoseGrant } from './whose-grant.ts'

type Deps = TokenDeps & { tokens: AccessTokens }

/** Tries an application from the outside in: what fails first is what is to be mended. */
export function onVerifyOAuth2App(deps: Deps) {
  return on(verifyOAuth2App, async ({ app: id, account }) => {
    let app: Application
    try {
      app = await openApplication(deps, id)
    } catch (error) {
      return { steps: [failed(steps.enabled, error)] }
    }
    return {
      steps: [
        ok(steps.enabled),
        await tried(steps.endpoints, async () => (await findEndpoints(deps, app)).tokenUrl),
        await signStep(app),
        await tokenStep(deps, app, account),
      ],
    }
  })
}

const steps = {
  enabled: { id: 'enabled', label: 'The application is enabled, and its secrets can be read' },
  endpoints: { id: 'endpoints', label: 'The token endpoint is known' },
  sign: { id: 'sign', label: 'The service key signs' },
  token: { id: 'token', label: 'The provider gives an access token' },
}
type Step = (typeof steps)[keyof typeof steps]

async function signStep({ provider, serviceKey = '' }: Application): Promise<OAuth2CheckStep> {
  if (provider !== 'gmailService') return skipped(steps.sign, 'There is no service key')
  const claims = { iss: '', sub: '', scope: '', aud: '' }
  return tried(steps.sign, () => {
    signAssertion(claims, serviceKey, Date.now())
  })
}

async function tokenStep(
  deps: Deps,
  app: Application,
  account: string | undefined,
): Promise<OAuth2CheckStep> {
  const use = account === undefined ? undefined : await whoseGrant(deps.db, account, 'imap')
  if (use && use.app !== app.id)
    return failed(steps.token, new Error('The account is not of this application'))
  // What was kept says nothing about the secret of now.
  if (use && !use.useAuthServer)
    return tried(steps.token, () => deps.tokens.get(use, { fresh: true, insist: true }))
  if (app.provider === 'outlookService')
    return tried(steps.token, () => ask(deps, app, { kind: 'client_credentials' }))
  if (app.provider === 'gmailService' && account?.includes('@'))
    return tried(steps.token, () => ask(deps, app, { kind: 'jwt-bearer', subject: account }))
  return skipped(steps.token, 'No account was named whose token could be renewed')
}

function ask(deps: Deps, app: Application, grant: Parameters<typeof requestToken>[2]) {
  return reportApp(deps, app.id, () => requestToken(deps, app, grant))
}

async function tried(step: Step, work: () => unknown): Promise<OAuth2CheckStep> {
  try {
    const told = await work()
    return { ...ok(step), message: typeof told === 'string' ? told : null }
  } catch (error) {
    return failed(step, error)
  }
}

function ok(step: Step): OAuth2CheckStep {
  return { ...step, status: 'ok', message: null }
}

function skipped(step: Step, message: string): OAuth2CheckStep {
  return { ...step, status: 'skip', message }
}

function failed(step: Step, error: unknown): OAuth2CheckStep {
  const hint = hints[step.id]
  return {
    ...step,
    status: 'fail',
    message: messageOf(error),
    ...(hint === undefined ? {} : { hint }),
  }
}

const hints: Record<string, string> = {
  enabled: 'Enable the application; if it is, look at the log of auth-bridge',
  endpoints: 'Look at the issuer, and whether auth-bridge may connect to it',
  sign: 'Store the private key of the service account as PEM',
  token: 'Look at the message: it is the answer of the provider',
}

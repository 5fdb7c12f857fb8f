import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import { completeOAuth2Login } from '@posthorn/contracts/commands/oauth2-login'
import { defined } from '@posthorn/contracts/defined'
import { AppError, isPermanent } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import { openSignIn, type SignInDeps, startSignIn } from '../../accounts/start-sign-in.ts'
import { countProbes, findFormLink } from '../../store/accounts/form-links.ts'
import {
  type ConsentPage,
  consumeLogin,
  type PendingLogin,
} from '../../store/oauth2/oauth2-logins.ts'
import { requestedBody } from '../../store/oauth2/pending-registration.ts'
import { FormLinkExpiredError, FormLinkUsedError, getUnusedLink } from '../form/connect-mailbox.ts'
import { redirectUrlOf, withAccountState } from '../form/redirect-back.ts'
import { isVisit, queryOf } from '../link-request.ts'
import { messagePage, type PageTheme } from '../page-layout.ts'
import { localeOf, localeParameter, pageTheme, type PageThemeDeps } from '../page-theme.ts'
import { sendPage } from '../send-page.ts'
import type { PageTexts } from '../texts/english.ts'
import { storeConsentError } from '../../store/oauth2/consent-errors.ts'
import { browserIdentities, identifyBrowser } from './browser-cookie.ts'
import { consentFailureIn, consentFailureOf, isCancelled } from './consent-failure.ts'
import { failureDetails, oneAddress, scopeList, twoAddresses } from './sign-in-pages.ts'
import {
  AccountGoneError,
  type ReceivedGrant,
  storeGrant,
  type StoreGrantDeps,
  type StoreGrantResult,
} from './store-grant.ts'

export interface CallbackDeps extends SignInDeps, StoreGrantDeps, PageThemeDeps {
  log: Logger
  count: (outcome: PageOutcome | 'opened' | 'connected' | 'used' | 'expired') => void
}

/** HTTP statuses of the pages for failed OAuth2 sign-ins. */
const statuses = {
  unknown: 400,
  denied: 403,
  refused: 400,
  missing: 403,
  unverified: 403,
  other: 403,
  exists: 400,
  unavailable: 503,
}
type PageOutcome = keyof typeof statuses

/**
 * Maximum lengths of a token (start token or state) and of an OAuth2 code. Tokens of this service
 * are much shorter. RFC 6749 does not limit the length of a code.
 */
const maxTokenLength = 256
const maxCodeLength = 4096

/** Parts of a request of the OAuth2 redirect URI from which the response page is created. */
interface SignInResponse {
  /** Pending OAuth2 sign-in; undefined if the `state` parameter of the request is unknown. */
  login?: PendingLogin
  theme: PageTheme
  response: Response
}

/**
 * Handles requests of the OAuth2 redirect URI (RFC 6749 §4.1.2). A request with `start` is the
 * first step of a sign-in. Otherwise the handler consumes the state first, so that only the first
 * of several requests with the same state continues. Any later failure shows a page with a link to
 * sign in again. The account is registered completely or not at all.
 */
export function onCallback(deps: CallbackDeps): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request)
    let result: SignInResponse = { theme: await pageTheme(deps, request), response }
    try {
      const start = tokenIn(query, 'start')
      const state = tokenIn(query, 'state')
      if (!isVisit(request)) return await sendOutcome(deps, result, 'unknown')
      if (start !== undefined) return await redirectToProvider(deps, { start, request, result })
      const login = state && (await consumeLogin(deps.db, state, browserIdentities(request)))
      if (!login) return await sendOutcome(deps, result, 'unknown')
      const { theme: colorScheme, locale } = login.registration
      const theme = await pageTheme(deps, request, { colorScheme, locale })
      result = { login, theme, response }
      // The link to the hosted form is checked before the OAuth2 code is redeemed, so that no
      // unused grant is created.
      if (login.form !== null) await getUnusedLink(deps.db, login.form, findFormLink)
      await finishSignIn(deps, { ...result, login }, query)
    } catch (error) {
      await sendFailure(deps, result, error)
    }
  }
}

function tokenIn(query: URLSearchParams, name: 'start' | 'state'): string | undefined {
  const token = query.get(name) ?? ''
  return token === '' || token.length > maxTokenLength ? undefined : token
}

/**
 * Binds the OAuth2 sign-in to the browser that opened it, and redirects the browser to the
 * provider.
 */
async function redirectToProvider(
  deps: CallbackDeps,
  { start, request, result }: { start: string; request: Request; result: SignInResponse },
): Promise<void> {
  const { response, theme } = result
  const locale = localeOf(theme)
  const url = await openSignIn(deps.db, { start, ...defined({ locale }) }, (redirectUri) =>
    identifyBrowser({ request, response }, redirectUri),
  )
  if (url === undefined) return sendOutcome(deps, result, 'unknown')
  deps.count('opened')
  response.redirect(303, url)
}

async function finishSignIn(
  deps: CallbackDeps,
  result: SignInResponse & { login: PendingLogin },
  query: URLSearchParams,
): Promise<void> {
  const { login, response } = result
  const { app, codeVerifier, registration, consent } = login
  const { account, redirectUrl } = registration
  const code = query.get('code') ?? ''
  if (!isFromIssuer(consent, query.get('iss'))) return sendOutcome(deps, result, 'refused')
  const failure = consentFailureIn(query)
  if (failure) return reportFailure(deps, { ...result, failure })
  if (code === '' || code.length > maxCodeLength) return sendOutcome(deps, result, 'refused')
  const grant = await deps.bus.request(
    completeOAuth2Login,
    { app, account, code, codeVerifier },
    { key: 'credentials', timeoutMs: deps.timeoutMs },
  )
  const stored = await storeGrant(deps, login, grant)
  if (stored.refused) {
    const details = detailsOf(stored, grant, result.theme.language.texts.signIn)
    return sendOutcome(deps, result, stored.refused, details)
  }
  deps.count('connected')
  response.redirect(303, withAccountState(redirectUrl, account, stored.state))
}

/** Logs, stores and shows an error with which the OAuth2 provider refused the consent. */
async function reportFailure(
  deps: CallbackDeps,
  { failure, ...result }: SignInResponse & { login: PendingLogin; failure: ConsentFailure },
): Promise<void> {
  const { app, registration } = result.login
  const { account } = registration
  deps.log.warn({ account, app, ...failure }, 'provider refused consent')
  // Continues if the error of the OAuth2 consent cannot be stored, because the page for the user is
  // more important.
  await storeConsentError(deps.db, account, failure).catch((err: unknown) =>
    deps.log.warn({ err, account }, 'consent error not stored'),
  )
  const outcome = isCancelled(failure) ? 'denied' : 'refused'
  const details = failureDetails(failure, result.theme.language.texts.signIn)
  await sendOutcome(deps, result, outcome, details)
}

/**
 * True if the issuer in an OAuth2 callback is the provider of the sign-in. The issuer is checked
 * before the OAuth2 code is sent to the provider, and also for callbacks that report an error (RFC
 * 9207 §2.4).
 */
function isFromIssuer({ issuer, requiresIss = false }: ConsentPage, iss: string | null): boolean {
  if (iss === null) return !requiresIss
  return issuer === undefined || iss === issuer
}

type Refusal = Exclude<StoreGrantResult, { refused?: never }>

function detailsOf(
  refusal: Refusal,
  { missingScopes, user: signedIn }: ReceivedGrant,
  texts: PageTexts['signIn'],
): string {
  if (refusal.refused === 'missing') return scopeList(missingScopes)
  return refusal.refused === 'other'
    ? twoAddresses({ expected: refusal.expected, signedIn }, texts)
    : oneAddress(signedIn, texts)
}

async function sendFailure(
  deps: CallbackDeps,
  result: SignInResponse,
  error: unknown,
): Promise<void> {
  const { login, theme, response } = result
  const { form } = theme.language.texts
  if (error instanceof FormLinkUsedError) {
    deps.count('used')
    const next = { href: redirectUrlOf(error.link) }
    return sendPage(response, 410, messagePage(form.used, theme, next))
  }
  if (error instanceof FormLinkExpiredError) {
    deps.count('expired')
    return sendPage(response, 410, messagePage(form.expired, theme))
  }
  if (error instanceof AppError && error.code === 'AccountAlreadyExists')
    return sendOutcome(deps, result, 'exists')
  if (error instanceof AccountGoneError) return sendOutcome(deps, { theme, response }, 'unknown')
  deps.log.warn({ err: error }, 'sign-in failed')
  const failure = isPermanent(error) ? consentFailureOf(error) : undefined
  if (login && failure) return reportFailure(deps, { ...result, login, failure })
  // A failed sign-in is permanent if the provider rejects the sign-in or the OAuth2 application is
  // misconfigured. Even after a temporary failure, the OAuth2 code cannot be used again.
  await sendOutcome(deps, result, isPermanent(error) ? 'refused' : 'unavailable')
}

async function sendOutcome(
  deps: CallbackDeps,
  { login, theme, response }: SignInResponse,
  ...[outcome, details = '']: [PageOutcome, string?]
): Promise<void> {
  deps.count(outcome)
  const retryUrl = login && (await restartSignIn(deps, login))
  const { signIn } = theme.language.texts
  const texts = { ...signIn[outcome], details, next: signIn.again }
  const next = retryUrl === undefined ? undefined : { href: retryUrl + localeParameter(theme) }
  sendPage(response, statuses[outcome], messagePage(texts, theme, next))
}

/**
 * Starts a new OAuth2 sign-in after a failure. Undefined if the start fails, or if the link to the
 * hosted form permits no further sign-in.
 */
async function restartSignIn(
  deps: CallbackDeps,
  { app, registration, form }: PendingLogin,
): Promise<string | undefined> {
  try {
    if (form !== null && !(await countProbes(deps.db, form, 1))) return undefined
    const loginHint = requestedBody(registration).expectedEmail ?? undefined
    const signIn = { app, registration, consent: true }
    return await startSignIn(deps, {
      ...signIn,
      ...defined({ form: form ?? undefined, loginHint }),
    })
  } catch {
    return undefined
  }
}

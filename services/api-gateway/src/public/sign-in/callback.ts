import { completeOAuth2Login } from '@posthorn/contracts'
import { AppError, isPermanent } from '@posthorn/errors'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { RequestHandler, Response } from 'express'
import { findFormLink, countProbes } from '../../store/form-links.ts'
import { type PendingLogin, consumeLogin } from '../../store/oauth2-logins.ts'
import { type SignIn, type SignInDeps, startSignIn } from '../../sign-in/start-sign-in.ts'
import { sendPage } from '../send-page.ts'
import { FormLinkExpiredError, FormLinkUsedError } from '../form/connect-mailbox.ts'
import { messagePage } from '../form/form-pages.ts'
import { formTexts } from '../form/form-texts.ts'
import { withAccountState, redirectUrlOf } from '../form/redirect-back.ts'
import { pageTheme, queryOf } from '../form/with-form-link.ts'
import type { Branding, PageTheme } from '../page-layout.ts'
import { isVisit } from '../visitor.ts'
import { type StoreGrantDeps, type ReceivedGrant, storeGrant } from './store-grant.ts'
import {
  oneAddress,
  scopeList,
  signInPage,
  type SignInPage,
  twoAddresses,
} from './sign-in-pages.ts'
import { signInTexts } from './sign-in-texts.ts'

export interface CallbackDeps extends SignInDeps, StoreGrantDeps {
  links: LinkKeys
  log: Logger
  branding: () => Promise<Branding>
  count: (outcome: CallbackOutcome) => void
}

export type CallbackOutcome =
  | 'connected'
  | 'unknown'
  | 'denied'
  | 'refused'
  | 'missing'
  | 'unverified'
  | 'other'
  | 'exists'
  | 'used'
  | 'expired'
  | 'unavailable'

/** Longer ones are nobody's. RFC 6749 knows no bound for a code. */
const maxStateLength = 256
const maxCodeLength = 4096

/** A sign-in that came back, being answered. */
interface SignInResponse {
  login: PendingLogin
  look: PageTheme
  response: Response
}

/**
 * Where a provider sends people back to (RFC 6749 §4.1.2). A state is taken out before anything else is done with it: of two that bring
 * the same one, one goes on. Whatever fails after that is told with a way to sign in again; an account is there whole, or not at all.
 */
export function onCallback(deps: CallbackDeps): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request)
    let returned: SignInResponse = {
      login: nobody,
      look: await pageTheme(deps, undefined),
      response,
    }
    try {
      const state = query.get('state') ?? ''
      const login =
        isVisit(request) && state !== '' && state.length <= maxStateLength
          ? await consumeLogin(deps.db, state)
          : undefined
      if (!login) return sendOutcome(deps, returned, 'unknown')
      returned = { login, look: await pageTheme(deps, login.registration.theme), response }
      await assertLinkIsGood(deps, login)
      await finish(deps, returned, query)
    } catch (error) {
      await sendFailure(deps, returned, error)
    }
  }
}

async function finish(deps: CallbackDeps, returned: SignInResponse, query: URLSearchParams) {
  const { app, codeVerifier, registration } = returned.login
  const code = query.get('code') ?? ''
  // RFC 6749 §4.1.2.1: what the provider says beside the word is for developers, and could be anybody's.
  if (query.has('error') || code === '' || code.length > maxCodeLength)
    return sendOutcome(
      deps,
      returned,
      query.get('error') === 'access_denied' ? 'denied' : 'refused',
    )
  const { account } = registration
  const granted = await deps.bus.request(
    completeOAuth2Login,
    { app, account, code, codeVerifier },
    { key: 'credentials', timeoutMs: deps.timeoutMs },
  )
  await decide(deps, returned, granted)
}

async function decide(
  deps: CallbackDeps,
  returned: SignInResponse,
  granted: ReceivedGrant,
): Promise<void> {
  const { login, response } = returned
  const { account, redirectUrl } = login.registration
  const taken = await storeGrant(deps, login, granted)
  if (taken.refused === 'missing')
    return sendOutcome(deps, returned, 'missing', scopeList(granted.missingScopes))
  if (taken.refused === 'unverified')
    return sendOutcome(deps, returned, 'unverified', oneAddress(granted.user))
  if (taken.refused === 'other')
    return sendOutcome(deps, returned, 'other', twoAddresses(taken.expected, granted.user))
  deps.count('connected')
  response.redirect(303, withAccountState(redirectUrl, account, taken.state))
}

/** Asked before the provider is, so that no grant is made for nothing. */
async function assertLinkIsGood({ db }: CallbackDeps, { form }: PendingLogin): Promise<void> {
  if (form === null) return
  const link = await findFormLink(db, form)
  if (!link) throw new FormLinkExpiredError()
  if (link.state) throw new FormLinkUsedError(link)
}

async function sendFailure(
  deps: CallbackDeps,
  returned: SignInResponse,
  error: unknown,
): Promise<void> {
  const { look, response } = returned
  if (error instanceof FormLinkUsedError) {
    deps.count('used')
    return sendPage(
      response,
      410,
      messagePage(formTexts.used, look, { href: redirectUrlOf(error.link) }),
    )
  }
  if (error instanceof FormLinkExpiredError) {
    deps.count('expired')
    return sendPage(response, 410, messagePage(formTexts.expired, look))
  }
  if (error instanceof AppError && error.code === 'AccountAlreadyExists')
    return sendOutcome(deps, returned, 'exists')
  deps.log.warn({ err: error }, 'a sign-in could not be finished')
  // An answer of the provider, or something wrong with the application: the same code will not do.
  await sendOutcome(deps, returned, isPermanent(error) ? 'refused' : 'unavailable')
}

type PageOutcome = Exclude<CallbackOutcome, 'connected' | 'used' | 'expired'>

const statuses: Record<PageOutcome, number> = {
  unknown: 400,
  denied: 403,
  refused: 400,
  missing: 403,
  unverified: 403,
  other: 403,
  exists: 400,
  unavailable: 503,
}

async function sendOutcome(
  deps: CallbackDeps,
  { login, look, response }: SignInResponse,
  ...[outcome, more]: [PageOutcome, string?]
): Promise<void> {
  deps.count(outcome)
  const again = outcome === 'unknown' ? undefined : await startAgain(deps, login)
  const page: SignInPage = {
    words: signInTexts[outcome],
    ...(more === undefined ? {} : { more }),
    ...(again === undefined ? {} : { again }),
  }
  sendPage(response, statuses[outcome], signInPage(page, look))
}

/** Another sign-in in the place of the one that is over; undefined where it cannot be had, or has been had too often. */
async function startAgain(
  deps: CallbackDeps,
  { app, registration, form }: PendingLogin,
): Promise<string | undefined> {
  try {
    if (form !== null && !(await countProbes(deps.db, form, 1))) return undefined
    const { expectedEmail } = registration.body
    const signIn: SignIn = {
      app,
      registration,
      consent: true,
      ...(form === null ? {} : { form }),
      ...(expectedEmail === undefined ? {} : { loginHint: expectedEmail }),
    }
    return await startSignIn(deps, signIn)
  } catch {
    return undefined
  }
}

/** Stands for whoever nobody knows; nothing is started again for them. */
const nobody: PendingLogin = {
  app: '',
  codeVerifier: '',
  registration: { account: '', body: { name: '' }, redirectUrl: '' },
  form: null,
}

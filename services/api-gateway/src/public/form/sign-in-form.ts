import { defined } from '@posthorn/contracts/defined'
import { AppError, isPermanent } from '@posthorn/errors'
import { acceptsAccounts } from '../../accounts/plan-oauth2.ts'
import { startSignIn } from '../../accounts/start-sign-in.ts'
import { countProbes, type FormLink } from '../../store/accounts/form-links.ts'
import { listSignInOffers } from '../../store/oauth2/oauth2-apps.ts'
import type { PendingRegistration } from '../../store/oauth2/pending-registration.ts'
import { isVisit } from '../link-request.ts'
import { messagePage, type PageTheme } from '../page-layout.ts'
import { localeOf, localeParameter } from '../page-theme.ts'
import { sendPage } from '../send-page.ts'
import { choicePage, formUrl, textsOf } from './form-pages.ts'
import { type ImapFormDeps, sendExhausted, showPerson } from './imap-form.ts'
import { accountFieldsOf } from './parse-settings.ts'
import type { FormRequest } from './with-form-link.ts'

/**
 * Shows the choice of mail providers in the hosted form. Skips this page if the query or the link
 * names a provider, or if IMAP is the only option.
 */
export async function onChoice(deps: ImapFormDeps, form: FormRequest): Promise<void> {
  const { params, link, request } = form
  const type = params.get('type') || link.request.type || ''
  if (type === 'imap') return showPerson(deps, form)
  const options = (await listSignInOffers(deps.db)).filter(
    (app) => acceptsAccounts(app) && (app.listed || app.id === link.request.type),
  )
  if (type === '' && options.length === 0) return showPerson(deps, form)
  const option = options.find(({ id }) => id === type)
  if (type !== '' && !option) return sendNotAvailable(deps, form)
  if (option && isVisit(request)) return redirectToProvider(deps, form, option.id)
  deps.count('page')
  sendPage(form.response, 200, choicePage(form, options))
}

async function redirectToProvider(
  deps: ImapFormDeps,
  form: FormRequest,
  app: string,
): Promise<void> {
  const { nonce, link, theme, response } = form
  if (!(await countProbes(deps.db, nonce, 1))) return sendExhausted(deps, form)
  const { expectedEmail, email, delegated } = link.request
  const loginHint = expectedEmail ?? (delegated ? undefined : email)
  const registration = registrationOf(link, theme)
  try {
    const signIn = { app, registration, form: nonce, ...defined({ loginHint }) }
    const url = await startSignIn(deps, signIn)
    deps.count('signIn')
    response.redirect(303, url + localeParameter(theme))
  } catch (error) {
    // If the OAuth2 application is deleted or misconfigured, the user sees that sign-in is not
    // available. Only the operator can repair the application, so a retry cannot help.
    const isUnusable =
      isPermanent(error) || (error instanceof AppError && error.code === 'AppNotFound')
    if (!isUnusable) throw error
    deps.log.warn({ err: error, app }, 'OAuth2 application cannot be used for sign-in')
    sendNotAvailable(deps, form)
  }
}

function registrationOf(link: FormLink, theme: PageTheme): PendingRegistration {
  const { colorScheme } = theme
  const { name = '', email, redirectUrl, delegated } = link.request
  const { account, ...fields } = accountFieldsOf(link)
  return {
    account,
    body: { ...fields, name, ...defined({ email }) },
    redirectUrl,
    ...defined({ delegated: delegated || undefined, theme: colorScheme, locale: localeOf(theme) }),
  }
}

function sendNotAvailable({ count }: ImapFormDeps, form: FormRequest): void {
  count('refused')
  // Offers the choice of providers as the next page, unless the form link itself names the
  // provider.
  const next = form.link.request.type ? undefined : { href: formUrl(form) }
  sendPage(form.response, 404, messagePage(textsOf(form).noApplication, form.theme, next))
}

import { AppError, isPermanent } from '@posthorn/errors'
import { startSignIn } from '../../sign-in/start-sign-in.ts'
import { type FormLink, countProbes } from '../../store/form-links.ts'
import type { PendingRegistration } from '../../store/oauth2-logins.ts'
import { listSignInOffers } from '../../store/oauth2-apps.ts'
import { sendPage } from '../send-page.ts'
import { isVisit } from '../visitor.ts'
import { formUrl, choicePage, messagePage } from './form-pages.ts'
import { formTexts } from './form-texts.ts'
import { type ImapFormDeps, showPerson } from './imap-form.ts'
import type { FormRequest } from './with-form-link.ts'
import { accountFieldsOf } from './parse-settings.ts'

/** The first page, or the way that the link, or the person, has chosen. Where there is one way alone nobody is asked. */
export async function onChoice(deps: ImapFormDeps, opened: FormRequest) {
  const { params: given, link, request } = opened
  const type = given.get('type') || link.request.type || ''
  if (type === 'imap') return showPerson(deps, opened)
  const offers = (await listSignInOffers(deps.db)).filter(
    ({ id, listed }) => listed || id === link.request.type,
  )
  if (type === '' && offers.length === 0) return showPerson(deps, opened)
  const offer = offers.find(({ id }) => id === type)
  if (type !== '' && !offer) return notOffered(deps, opened)
  if (offer && isVisit(request)) return redirectToProvider(deps, opened, offer.id)
  deps.count('page')
  sendPage(opened.response, 200, choicePage(opened, offers))
}

async function redirectToProvider(
  deps: ImapFormDeps,
  opened: FormRequest,
  app: string,
): Promise<void> {
  const { nonce, link, theme: look, response } = opened
  if (!(await countProbes(deps.db, nonce, 1))) {
    deps.count('exhausted')
    return sendPage(response, 429, messagePage(formTexts.exhausted, look))
  }
  const { expectedEmail, email } = link.request
  const loginHint = expectedEmail ?? (link.request.delegated ? undefined : email)
  const registration = {
    ...registrationOf(link),
    ...(look.colorScheme ? { theme: look.colorScheme } : {}),
  }
  const hint = loginHint === undefined ? {} : { loginHint }
  try {
    const url = await startSignIn(deps, { app, registration, form: nonce, ...hint })
    deps.count('signIn')
    response.redirect(303, url)
  } catch (error) {
    // An application that is gone, or not what it should be: that is the operator's to see, and nothing to try again.
    const isUnfit =
      isPermanent(error) || (error instanceof AppError && error.code === 'AppNotFound')
    if (!isUnfit) throw error
    deps.log.warn({ err: error, app }, 'nobody can sign in by an application')
    notOffered(deps, opened)
  }
}

function registrationOf(link: FormLink): PendingRegistration {
  const { name = '', email, redirectUrl, delegated } = link.request
  const { account, ...given } = accountFieldsOf(link)
  return {
    account,
    body: { ...given, name, ...(email === undefined ? {} : { email }) },
    redirectUrl,
    ...(delegated ? { delegated } : {}),
  }
}

function notOffered({ count }: ImapFormDeps, opened: FormRequest): void {
  count('refused')
  // The link may say itself what is not offered: then there is nothing to choose from.
  const next = opened.link.request.type ? undefined : { href: formUrl(opened) }
  sendPage(opened.response, 404, messagePage(formTexts.noApplication, opened.theme, next))
}

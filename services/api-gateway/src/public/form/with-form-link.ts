import type { Db, SettingsCache } from '@posthorn/db'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import { findFormLink, type FormLink } from '../../store/form-links.ts'
import { sendPage } from '../send-page.ts'
import type { Branding, PageTheme } from '../page-layout.ts'
import { formFields } from '../read-form.ts'
import { readSigned } from '../link-request.ts'
import { messagePage, type FormContext } from './form-pages.ts'
import { formTexts } from './form-texts.ts'
import { FormLinkExpiredError, FormLinkUsedError } from './connect-mailbox.ts'
import { redirectUrlOf } from './redirect-back.ts'

export interface FormLinkDeps {
  db: Db
  settings: SettingsCache
  links: LinkKeys
  log: Logger
  branding: () => Promise<Branding>
  count: (outcome: FormOutcome) => void
}

export type FormOutcome =
  | 'page'
  | 'tested'
  | 'signIn'
  | 'connected'
  | 'refused'
  | 'signature'
  | 'expired'
  | 'used'
  | 'exhausted'
  | 'unavailable'

/** A request with a link that is good. */
export interface FormRequest extends FormContext {
  nonce: string
  link: FormLink
  /** The key of links: what is kept on a form is encrypted for it. */
  key: Buffer
  /** What came with the request: of the query, or of the form. */
  params: URLSearchParams
  request: Request
  response: Response
  signal: AbortSignal
}

type Handler = (opened: FormRequest) => Promise<void>

/** Lets nobody in without a link of ours that is good; what fails is told as a page. */
export function withFormLink(deps: FormLinkDeps, up: string, handler: Handler): RequestHandler {
  return async (request, response) => {
    const given = request.method === 'POST' ? formFields(request) : queryOf(request)
    const look = await pageTheme(deps, given.get('theme'))
    const say = (status: number, words: Parameters<typeof messagePage>[0], href?: string) =>
      sendPage(
        response,
        status,
        messagePage(words, look, href === undefined ? undefined : { href }),
      )
    try {
      const parts = { data: given.get('data') ?? '', sig: given.get('sig') ?? '' }
      const signed = await readSigned(deps.links, 'form', parts)
      if (!signed) return refuse(deps, 'signature', () => say(403, formTexts.invalid))
      const nonce = signed.link.n
      const link = await findFormLink(deps.db, nonce)
      if (!link) throw new FormLinkExpiredError()
      if (link.state) throw new FormLinkUsedError(link)
      const key = await deps.links.current()
      const context = { params: given, request, response, signal: disconnectSignal(response) }
      await handler({ nonce, link, key, parts, up, theme: look, ...context })
    } catch (err) {
      if (err instanceof FormLinkUsedError)
        return refuse(deps, 'used', () => say(410, formTexts.used, redirectUrlOf(err.link)))
      if (err instanceof FormLinkExpiredError)
        return refuse(deps, 'expired', () => say(410, formTexts.expired))
      if (response.destroyed) return
      deps.log.warn({ err }, 'a request with the link of a form was put off')
      response.setHeader('Retry-After', '30')
      refuse(deps, 'unavailable', () => say(503, formTexts.unavailable))
    }
  }
}

function refuse({ count }: FormLinkDeps, outcome: FormOutcome, say: () => void): void {
  count(outcome)
  say()
}

/** How the page is to look; a theme that is none is none. */
export async function pageTheme(
  { branding }: Pick<FormLinkDeps, 'branding'>,
  theme: string | null | undefined,
): Promise<PageTheme> {
  const look = await branding()
  return theme === 'light' || theme === 'dark' ? { ...look, colorScheme: theme } : look
}

export function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'))
}

/** Aborts when the connection goes before the answer is out. */
function disconnectSignal(response: Response): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  return gone.signal
}

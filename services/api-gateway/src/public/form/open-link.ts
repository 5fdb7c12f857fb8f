import type { Db, SettingsCache } from '@posthorn/db'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import { findFormLink, type FormLink } from '../../store/form-links.ts'
import { sendPage } from '../answers.ts'
import type { Branding, PageTheme } from '../frame.ts'
import { formFields } from '../read-form.ts'
import { readSigned } from '../signed-request.ts'
import { messagePage, type FormContext } from './form-pages.ts'
import { formTexts } from './form-texts.ts'
import { LinkGone, LinkUsed } from './connect-mailbox.ts'
import { leadBack } from './lead-back.ts'

export interface LinkDeps {
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
export interface Opened extends FormContext {
  nonce: string
  link: FormLink
  /** The key of links: what is kept on a form is encrypted for it. */
  key: Buffer
  /** What came with the request: of the query, or of the form. */
  given: URLSearchParams
  request: Request
  response: Response
  signal: AbortSignal
}

type Handler = (opened: Opened) => Promise<void>

/** Lets nobody in without a link of ours that is good; what fails is told as a page. */
export function withLink(deps: LinkDeps, up: string, handler: Handler): RequestHandler {
  return async (request, response) => {
    const given = request.method === 'POST' ? formFields(request) : queryOf(request)
    const look = await lookOf(deps, given.get('theme'))
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
      if (!link) throw new LinkGone()
      if (link.state) throw new LinkUsed(link)
      const key = await deps.links.current()
      const context = { given, request, response, signal: whileWaiting(response) }
      await handler({ nonce, link, key, parts, up, look, ...context })
    } catch (err) {
      if (err instanceof LinkUsed)
        return refuse(deps, 'used', () => say(410, formTexts.used, leadBack(err.link)))
      if (err instanceof LinkGone) return refuse(deps, 'expired', () => say(410, formTexts.expired))
      if (response.destroyed) return
      deps.log.warn({ err }, 'a request with the link of a form was put off')
      response.setHeader('Retry-After', '30')
      refuse(deps, 'unavailable', () => say(503, formTexts.unavailable))
    }
  }
}

function refuse({ count }: LinkDeps, outcome: FormOutcome, say: () => void): void {
  count(outcome)
  say()
}

/** How the page is to look; a theme that is none is none. */
export async function lookOf(
  { branding }: Pick<LinkDeps, 'branding'>,
  theme: string | null | undefined,
): Promise<PageTheme> {
  const look = await branding()
  return theme === 'light' || theme === 'dark' ? { ...look, theme } : look
}

export function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'))
}

/** Aborts when the connection goes before the answer is out. */
function whileWaiting(response: Response): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  return gone.signal
}

import type { Db, SettingsCache } from '@posthorn/db'
import { BodyError } from '@posthorn/http'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import { disconnectSignal } from '../../http/respond.ts'
import { findFormLink, type FormLink } from '../../store/accounts/form-links.ts'
import { queryOf, readSigned, readSmallBody } from '../link-request.ts'
import { messagePage } from '../page-layout.ts'
import { pageTheme, type PageThemeDeps, requestedTheme } from '../page-theme.ts'
import { sendPage } from '../send-page.ts'
import { FormLinkExpiredError, FormLinkUsedError, getUnusedLink } from './connect-mailbox.ts'
import { type FormContext, textsOf } from './form-pages.ts'
import { redirectUrlOf } from './redirect-back.ts'

export interface FormLinkDeps extends PageThemeDeps {
  db: Db
  settings: SettingsCache
  links: LinkKeys
  log: Logger
  /** Maximum time in which the body of a request to the hosted form must arrive. */
  bodyTimeoutMs: number
  count: (outcome: FormOutcome) => void
}

/** HTTP request with a valid link to the hosted form. */
export interface FormRequest extends FormContext {
  nonce: string
  link: FormLink
  /** Secret of the link to the hosted form, with which the state of the form is encrypted. */
  key: Buffer
  /** Parameters of a request to the hosted form: the query of a GET, the form fields of a POST. */
  params: URLSearchParams
  request: Request
  response: Response
  signal: AbortSignal
}

const rejections = {
  signature: { status: 403, texts: 'invalid' },
  used: { status: 410, texts: 'used' },
  expired: { status: 410, texts: 'expired' },
  unavailable: { status: 503, texts: 'unavailable' },
} as const
export type FormOutcome =
  | keyof typeof rejections
  | 'page'
  | 'tested'
  | 'signIn'
  | 'connected'
  | 'refused'
  | 'exhausted'

/**
 * Wraps a handler of the hosted form, which runs only if the query contains a valid form link.
 * Without a valid link, and after a failure, responds with a page that states the problem. The body
 * of a request without a valid link is not read. `up`: relative path to the folder of
 * `/accounts/new`, see `FormContext`.
 */
export function withFormLink<D extends FormLinkDeps>(
  deps: D,
  up: string,
  handler: (deps: D, form: FormRequest) => Promise<unknown>,
): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request)
    const theme = await pageTheme(deps, request, requestedTheme(request))
    const reject = (outcome: keyof typeof rejections, href?: string) => {
      const { status, texts } = rejections[outcome]
      deps.count(outcome)
      const next = href === undefined ? undefined : { href }
      sendPage(response, status, messagePage(textsOf({ theme })[texts], theme, next))
    }
    try {
      const parts = { data: query.get('data') ?? '', sig: query.get('sig') ?? '' }
      const signed = await readSigned(deps.links, 'form', parts)
      if (!signed?.key) return reject('signature')
      const nonce = signed.link.n
      const link = await getUnusedLink(deps.db, nonce, findFormLink)
      const key = signed.key.secret
      const params = request.method === 'POST' ? await readForm(deps, request) : query
      const context = { params, request, response, signal: disconnectSignal(response) }
      await handler(deps, { nonce, link, key, parts, up, theme, ...context })
    } catch (err) {
      if (err instanceof BodyError) throw err
      if (err instanceof FormLinkUsedError) return reject('used', redirectUrlOf(err.link))
      if (err instanceof FormLinkExpiredError) return reject('expired')
      if (response.destroyed) return
      deps.log.warn({ err }, 'hosted form request failed with 503')
      response.setHeader('Retry-After', '30')
      reject('unavailable')
    }
  }
}

/** Reads the fields of a posted form. `get` returns the first value of a repeated field. */
async function readForm(
  { bodyTimeoutMs }: FormLinkDeps,
  request: Request,
): Promise<URLSearchParams> {
  return new URLSearchParams(await readSmallBody(request, bodyTimeoutMs))
}

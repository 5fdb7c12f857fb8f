import type { Bus } from '@posthorn/bus'
import { type Db, publishEvents, type SettingsCache } from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import { BodyError } from '@posthorn/http'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import { applyListTurn, type ListTurnRequest } from '../store/lists/list-turns.ts'
import { findBlockOrigin } from '../store/lists/lists.ts'
import { inTransaction } from '../store/transaction.ts'
import { listPage } from './link-pages.ts'
import { readSigned, readSmallBody, resolveVisitor, type SignedParams } from './link-request.ts'
import { isOneClick } from './one-click.ts'
import { type Branding, messagePage } from './page-layout.ts'
import { pageTheme } from './page-theme.ts'
import { sendLinkProblem } from './send-link-problem.ts'
import { sendPage, sendText } from './send-page.ts'

export interface UnsubscribeDeps {
  db: Db
  bus: Bus
  log: Logger
  settings: SettingsCache
  tasks: TaskGroup
  links: LinkKeys
  trustedProxies: readonly string[]
  /** Maximum time in which the body of an unsubscribe request must arrive. */
  bodyTimeoutMs: number
  branding: () => Promise<Branding>
  count: (
    outcome: 'page' | 'unsubscribed' | 'subscribed' | 'unchanged' | 'signature' | 'unavailable',
  ) => void
}

type ListLink = SignedParams<'unsub'>

/**
 * Shows the unsubscribe page. The request changes nothing, because link scanners request every
 * link.
 */
export function onUnsubscribePage(deps: UnsubscribeDeps): RequestHandler {
  return withListLink(deps, (signed, request, response) =>
    showPage(deps, signed, { request, response }),
  )
}

async function showPage(
  deps: UnsubscribeDeps,
  signed: ListLink,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const state = (await findBlockState(deps.db, signed.link)) ?? 'confirm'
  deps.count('page')
  const form = { ...signed, state, target: 'unsubscribe/address' } as const
  sendPage(response, 200, listPage(form, await pageTheme(deps, request)))
}

/**
 * Unsubscribes the recipient immediately on a one-click request of a mail client (RFC 8058) and
 * responds with plain text. Any other POST gets the unsubscribe page.
 */
export function onOneClick(deps: UnsubscribeDeps): RequestHandler {
  return withListLink(deps, async (signed, request, response) => {
    const body = await readSmallBody(request, deps.bodyTimeoutMs)
    if (!isOneClick(request.get('content-type'), body))
      return showPage(deps, signed, { request, response })
    const change = { ...signed.link, action: 'unsubscribe', source: 'one-click' } as const
    await changeSubscription(deps, request, change)
    const { language } = await pageTheme(deps, request)
    sendText(response, 200, { text: language.texts.links.oneClick, language })
  })
}

/**
 * Handles the posted form of the unsubscribe page. The signed link in the form's target authorizes
 * the change.
 */
export function onListForm(deps: UnsubscribeDeps): RequestHandler {
  return withListLink(deps, async (signed, request, response) => {
    const body = await readSmallBody(request, deps.bodyTimeoutMs)
    const theme = await pageTheme(deps, request)
    const action = new URLSearchParams(body).get('action')
    if (action !== 'unsubscribe' && action !== 'subscribe')
      return sendPage(response, 400, messagePage(theme.language.texts.links.invalid, theme))
    await changeSubscription(deps, request, { ...signed.link, action, source: 'form' })
    const state = (await findBlockState(deps.db, signed.link)) ?? 'resubscribed'
    const form = { ...signed, state, target: 'address' } as const
    sendPage(response, 200, listPage(form, theme))
  })
}

/**
 * State of a recipient who is blocked on a mailing list; undefined if the recipient is not blocked.
 */
async function findBlockState(db: Db, { acc: account, list: listId, rcpt }: ListLink['link']) {
  const origin = await findBlockOrigin(db, { account, listId, recipient: rcpt })
  return origin && ({ link: 'unsubscribed', api: 'blocked' } as const)[origin]
}

type SubscriptionChange = ListLink['link'] & Pick<ListTurnRequest, 'action' | 'source'>

/** Stores the change of a list subscription together with its event, in one transaction. */
async function changeSubscription(
  { db, bus, settings, tasks, trustedProxies, count }: UnsubscribeDeps,
  request: Request,
  change: SubscriptionChange,
): Promise<void> {
  const { acc: account, list: listId, rcpt: recipient, msg: messageId, action, source } = change
  const { serviceUrl = null } = await settings.get()
  const visitor = resolveVisitor(request, trustedProxies)
  const turn = { action, source, account, listId, recipient, messageId, ...visitor }
  const events = await inTransaction(db, (tx) => applyListTurn(tx, turn, serviceUrl))
  if (!events) return count('unchanged')
  count(action === 'unsubscribe' ? 'unsubscribed' : 'subscribed')
  tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
}

type Handler = (signed: ListLink, request: Request, response: Response) => Promise<void>

/**
 * Wraps a handler of unsubscribe requests. Requests without a valid signed link in the query get
 * 403 before their body is read. Any failure shows a page with status 503, so that mail clients
 * retry.
 */
function withListLink(deps: UnsubscribeDeps, handler: Handler): RequestHandler {
  return async (request, response) => {
    try {
      const signed = await readSigned(deps.links, 'unsub', request.query)
      if (signed) return await handler(signed, request, response)
      deps.count('signature')
      await sendLinkProblem(deps, 'invalid', { request, response })
    } catch (err) {
      if (err instanceof BodyError) throw err
      deps.log.warn({ err }, 'unsubscribe request failed with 503')
      deps.count('unavailable')
      response.setHeader('Retry-After', '30')
      await sendLinkProblem(deps, 'unavailable', { request, response })
    }
  }
}

import type { Bus } from '@posthorn/bus'
import { type Db, publishEvents, type SettingsCache } from '@posthorn/db'
import type { LinkKeys } from '@posthorn/links'
import type { Logger } from '@posthorn/telemetry'
import type { Request, RequestHandler, Response } from 'express'
import type { TaskGroup } from '@posthorn/flow'
import { isBlocked, type ListTurnRequest, applyListTurn } from '../store/list-turns.ts'
import { inTransaction } from '../store/transaction.ts'
import { sendPage, sendText } from './send-page.ts'
import type { Branding } from './page-layout.ts'
import { type ListForm, listPage, notePage } from './link-pages.ts'
import { formFields, isOneClick } from './read-form.ts'
import { readSigned, type SignedParams } from './link-request.ts'
import { linkTexts } from './texts.ts'
import { resolveVisitor } from './visitor.ts'

export interface UnsubscribeDeps {
  db: Db
  bus: Bus
  log: Logger
  settings: SettingsCache
  tasks: TaskGroup
  links: LinkKeys
  trustedProxies: readonly string[]
  branding: () => Promise<Branding>
  count: (
    outcome: 'page' | 'unsubscribed' | 'subscribed' | 'unchanged' | 'signature' | 'unavailable',
  ) => void
}

type ListLink = SignedParams<'unsub'>

/** The page that asks whether somebody wants to leave the list. Looking at it changes nothing: scanners follow every link. */
export function onUnsubscribePage(deps: UnsubscribeDeps): RequestHandler {
  return withListLink(
    deps,
    (request) => request.query,
    async (signed, _request, response) => {
      const { list, rcpt } = signed.link
      const state = (await isBlocked(deps.db, list, rcpt)) ? 'left' : 'ask'
      deps.count('page')
      await sendList(deps, response, formOf(signed, state, 'unsubscribe/address'))
    },
  )
}

/** RFC 8058: a mail client's button. Done at once, and told in a word; without that body it is somebody to be asked. */
export function onOneClick(deps: UnsubscribeDeps): RequestHandler {
  const page = onUnsubscribePage(deps)
  return async (request, response, next) => {
    if (!isOneClick(request)) return page(request, response, next)
    const handler = withListLink(
      deps,
      (request) => request.query,
      async (signed, request, response) => {
        await changeSubscription(deps, request, {
          ...signed.link,
          action: 'unsubscribe',
          source: 'one-click',
        })
        sendText(response, 200, linkTexts.oneClick)
      },
    )
    return handler(request, response, next)
  }
}

/** The form of the page. The signed link in it is the right to do it, so nobody else can post it. */
export function onListForm(deps: UnsubscribeDeps): RequestHandler {
  const fieldsOf = (request: Request) => {
    const fields = formFields(request)
    return { data: fields.get('data'), sig: fields.get('sig') }
  }
  return withListLink(deps, fieldsOf, async (signed, request, response) => {
    const action = formFields(request).get('action')
    if (action !== 'unsubscribe' && action !== 'subscribe')
      return sendPage(response, 400, notePage('invalid', await deps.branding()))
    await changeSubscription(deps, request, { ...signed.link, action, source: 'form' })
    const state = action === 'unsubscribe' ? 'left' : 'back'
    await sendList(deps, response, formOf(signed, state, 'address'))
  })
}

type SubscriptionChange = ListLink['link'] & Pick<ListTurnRequest, 'action' | 'source'>

/** Carries out what is asked: entry and event together, or neither. */
async function changeSubscription(
  { db, bus, settings, tasks, trustedProxies, count }: UnsubscribeDeps,
  request: Request,
  {
    acc: account,
    list: listId,
    rcpt: recipient,
    msg: messageId,
    action,
    source,
  }: SubscriptionChange,
): Promise<void> {
  const { serviceUrl = null } = await settings.get()
  const wish = { action, source, account, listId, recipient, messageId }
  const visitor = resolveVisitor(request, trustedProxies)
  const events = await inTransaction(db, (tx) =>
    applyListTurn(tx, { ...wish, ...visitor }, serviceUrl),
  )
  if (!events) return count('unchanged')
  count(action === 'unsubscribe' ? 'unsubscribed' : 'subscribed')
  tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
}

type Handler = (signed: ListLink, request: Request, response: Response) => Promise<void>

/** Lets nobody in without a link of ours; what fails is told as a page, and 503 so that mail clients try again. */
function withListLink(
  deps: UnsubscribeDeps,
  partsOf: (request: Request) => { data?: unknown; sig?: unknown },
  handler: Handler,
): RequestHandler {
  return async (request, response) => {
    try {
      const signed = await readSigned(deps.links, 'unsub', partsOf(request))
      if (signed) return await handler(signed, request, response)
      deps.count('signature')
      sendPage(response, 403, notePage('invalid', await deps.branding()))
    } catch (err) {
      deps.log.warn({ err }, 'a request about a list was put off')
      deps.count('unavailable')
      response.setHeader('Retry-After', '30')
      sendPage(response, 503, notePage('unavailable', await deps.branding()))
    }
  }
}

async function sendList(
  { branding }: UnsubscribeDeps,
  response: Response,
  form: ListForm,
): Promise<void> {
  sendPage(response, 200, listPage(form, await branding()))
}

function formOf({ link, data, sig }: ListLink, state: ListForm['state'], target: string): ListForm {
  return { state, recipient: link.rcpt, listId: link.list, data, sig, target }
}

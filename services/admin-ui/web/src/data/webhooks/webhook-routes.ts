import type {
  CreateWebhookRouteInput,
  GetWebhookRouteResult,
  ListWebhookRouteErrorsResult,
  ListWebhookRoutesResult,
  TestWebhookRouteInput,
  TestWebhookRouteResult,
  UpdateWebhookRouteInput,
} from '@posthorn/client'
import {
  createWebhookRoute,
  deleteWebhookRoute,
  getWebhookDelivery,
  getWebhookRoute,
  listWebhookDeliveries,
  listWebhookRouteErrors,
  listWebhookRoutes,
  testWebhookRoute,
  updateWebhookRoute,
} from '@posthorn/client/operations'
import { InputError, type Load } from '../load-state.ts'
import { calls, proofRequests } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Webhook route in the list of routes. */
export type RouteEntry = ListWebhookRoutesResult['webhooks'][number]
/** Webhook route with its functions. */
export type RouteRecord = GetWebhookRouteResult
/** Error of a function of a webhook route. */
export type RouteFailure = ListWebhookRouteErrorsResult['errors'][number]
/** Request that creates a webhook route. */
export type RouteBody = CreateWebhookRouteInput['body']
/** Request that changes a webhook route. */
export type RouteChange = UpdateWebhookRouteInput['body']
/** Request that runs the functions of a webhook route with a payload. */
export type RouteTestBody = TestWebhookRouteInput['body']
/** Results of the functions of a webhook route. */
export type RouteTestRun = TestWebhookRouteResult

/** Cache key of the webhook routes and their errors. */
export const routesKey = ['webhook routes'] as const

const pageSize = 50
/** Maximum number of webhook routes from which a person chooses a route. */
const maxChoices = 1_000

/** Loads the webhook routes from which a person chooses a route. */
export function useRouteChoices(): Load<ListWebhookRoutesResult> {
  const input = { pageSize: maxChoices }
  return useLoad([...routesKey, 'list', input], () => listWebhookRoutes(calls.api, input))
}

/** Loads a page of the list of webhook routes. */
export function useRoutes(page: number): Load<ListWebhookRoutesResult> {
  const input = { page, pageSize }
  return useLoad([...routesKey, 'list', input], () => listWebhookRoutes(calls.api, input))
}

/** Loads a webhook route with its functions. */
export function useRoute(webhookRoute: string): Load<RouteRecord> {
  return useLoad([...routesKey, 'one', webhookRoute], () =>
    getWebhookRoute(calls.api, { webhookRoute }),
  )
}

/** Loads the latest errors of the functions of a webhook route. */
export function useRouteErrors(webhookRoute: string): Load<ListWebhookRouteErrorsResult> {
  return useLoad(
    [...routesKey, 'errors', webhookRoute],
    () => listWebhookRouteErrors(calls.api, { webhookRoute }),
    { everyMs: 10_000 },
  )
}

/** Calls that change webhook routes, and the test of their functions. */
export const routeActions = {
  create: (body: RouteBody) => createWebhookRoute(calls.api, { body }),
  update: ({ id, body }: { id: string; body: RouteChange }) =>
    updateWebhookRoute(calls.api, { webhookRoute: id, body }),
  remove: (id: string) => deleteWebhookRoute(calls.api, { webhookRoute: id }),
  test: (body: RouteTestBody) => testWebhookRoute(calls.api, { body }),
  /** Asks for the reason to read mail, without which the texts of errors are hidden. */
  requestMailReading: () => proofRequests.mailReason.request(),
}

/** Recent webhook delivery whose payload a test of a route can use. */
export interface RecentDelivery {
  id: string
  event: string
  account: string
  queuedAt: string
}

/** Number of recent webhook deliveries that the test of a route offers, per state. */
const recentCount = 10

/** Loads recent webhook deliveries of an event, newest first. */
export function useRecentDeliveries(event: string): Load<RecentDelivery[]> {
  return useLoad(['recent deliveries', event], async () => {
    const states = ['delivered', 'failed'] as const
    const lists = await Promise.all(
      states.map((state) =>
        listWebhookDeliveries(calls.api, { state, event, pageSize: recentCount }),
      ),
    )
    const deliveries = lists.flatMap((list) => list.deliveries)
    return deliveries.toSorted((one, other) => (one.queuedAt < other.queuedAt ? 1 : -1))
  })
}

/**
 * Reads the payload of a webhook delivery. Asks for the reason to read mail if the server hides the
 * payload without the right to read mail.
 *
 * @throws if the payload stays hidden, or if the event of the delivery was deleted
 */
export async function readPayload(delivery: string): Promise<unknown> {
  const read = () => getWebhookDelivery(calls.api, { delivery })
  let result = await read()
  if (result.payloadHidden === true && (await proofRequests.mailReason.request()))
    result = await read()
  if (result.payloadHidden === true)
    throw new InputError('The payload contains mail, and reading mail is not active.')
  if (result.payload === null)
    throw new InputError('The event was deleted after its retention period.')
  return result.payload
}

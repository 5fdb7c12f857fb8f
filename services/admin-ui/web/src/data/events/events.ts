import type {
  GetEventResult,
  ListEventsInput,
  ListEventsResult,
  ListWebhookRoutesResult,
  TestWebhookRouteResult,
} from '@posthorn/client'
import {
  getEvent,
  getWebhookRoute,
  listEvents,
  listWebhookRoutes,
  testWebhookRoute,
} from '@posthorn/client/operations'
import { InputError, type Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Event in the list of events. */
export type EventEntry = ListEventsResult['events'][number]
/** Event with the state of its webhook deliveries, and with its body if the body was requested. */
export type EventRecord = GetEventResult
/** Webhook route in the list of routes. */
export type RouteEntry = ListWebhookRoutesResult['webhooks'][number]
/** Result of the functions of a webhook route for one event. */
export type RouteTrial = TestWebhookRouteResult

/** Cache key of the events. */
export const eventsKey = ['events'] as const
const refreshMs = 10_000
/** Maximum number of webhook routes that the page of an event offers. */
const maxRoutes = 1_000

/** Loads a page of the list of events. While the page is live, the list is not refreshed. */
export function useEvents(input: ListEventsInput, isLive: boolean): Load<ListEventsResult> {
  const load = () => listEvents(calls.api, input)
  return useLoad([...eventsKey, 'list', input], load, isLive ? {} : { everyMs: refreshMs })
}

/** Loads an event without its body. */
export function useEvent(event: string): Load<EventRecord> {
  const load = () => getEvent(calls.api, { event })
  return useLoad([...eventsKey, 'one', event], load, { everyMs: refreshMs })
}

/** Reads the body of an event. The person needs the active right to read mail. */
export async function readEventBody(event: string): Promise<unknown> {
  const { payload } = await getEvent(calls.api, { event, payload: true })
  return payload ?? null
}

/** Loads the webhook routes. */
export function useRoutes(): Load<ListWebhookRoutesResult> {
  return useLoad(['routes'], () => listWebhookRoutes(calls.api, { pageSize: maxRoutes }))
}

/** Event and webhook route whose functions run with the body of the event. */
export interface RouteTrialInput {
  event: string
  route: string
}

/**
 * Runs the functions of a webhook route with the body of an event. Nothing is sent or stored. The
 * person needs the active right to read mail.
 *
 * @throws InputError if the body is too large for the server to show it
 */
export async function tryRoute({ event, route }: RouteTrialInput): Promise<RouteTrial> {
  const { content } = await getWebhookRoute(calls.api, { webhookRoute: route })
  const payload = await readEventBody(event)
  if (typeof payload !== 'object' || payload === null)
    throw new InputError('The body of the event is too large to be shown. Choose another event.')
  const body = { content, payload: { ...payload, eventId: event } }
  return testWebhookRoute(calls.api, { body })
}

import { eventBodies } from '@posthorn/contracts/openapi/examples/event-bodies'
import type { RecentDelivery, RouteTestRun } from '../../data/webhooks/webhook-routes.ts'

/** Names of all events, in alphabetical order. */
export const eventNames: readonly string[] = Object.keys(eventBodies).toSorted()

/** Event whose example the test of a webhook route shows first. */
export const firstEvent = 'messageNew'

/** Event of the test of a webhook route. Unknown names count as the first event. */
export function eventOf(name: string | undefined): string {
  return eventNames.find((each) => each === name) ?? firstEvent
}

/** Text of the built-in example of a webhook body. */
export function examplePayload(event: string): string {
  return payloadText(eventBodies[event as keyof typeof eventBodies])
}

/** Text of a webhook body. */
export function payloadText(payload: unknown): string {
  return JSON.stringify(payload, null, 2)
}

/** Name of a recent webhook delivery in the list of payloads. */
export function deliveryLabel({ event, account, queuedAt }: RecentDelivery): string {
  const time = new Date(queuedAt).toLocaleString('en-GB')
  return [event, account, time].filter(Boolean).join(' · ')
}

/** Result of a test of a webhook route in words. */
export function runText({ applies, errors }: Pick<RouteTestRun, 'applies' | 'errors'>): string {
  const failed = (name: string) => errors.some((error) => error.function === name)
  if (failed('filter')) return 'The filter function failed. Nothing is delivered.'
  if (!applies) return 'The filter function rejects the event. Nothing is delivered.'
  if (failed('map')) return 'The map function failed. The original payload is delivered.'
  return 'The event is delivered.'
}

/** Duration of a test of a webhook route in words. */
export function cpuText(usedMs: number): string {
  return `${usedMs.toLocaleString('en', { maximumFractionDigits: 1 })} ms`
}

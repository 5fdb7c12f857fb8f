import type {
  ListOutboxInput,
  ListOutboxResult,
  ListWebhookDeliveriesInput,
  ListWebhookDeliveriesResult,
} from '@posthorn/client'
import {
  deleteOutboxEntry,
  holdOutboxEntry,
  listOutbox,
  listWebhookDeliveries,
  releaseOutboxEntry,
  retryWebhookDelivery,
  sendOutboxEntry,
} from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

export type OutboxEntry = ListOutboxResult['messages'][number]
export type Delivery = ListWebhookDeliveriesResult['deliveries'][number]

export const outboxKey = ['outbox'] as const
export const deliveriesKey = ['deliveries'] as const
const refreshMs = 10_000

export function useOutbox(input: ListOutboxInput): Load<ListOutboxResult> {
  return useLoad([...outboxKey, input], () => listOutbox(calls.api, input), { everyMs: refreshMs })
}

export function useDeliveries(
  input: ListWebhookDeliveriesInput,
): Load<ListWebhookDeliveriesResult> {
  return useLoad([...deliveriesKey, input], () => listWebhookDeliveries(calls.api, input), {
    everyMs: refreshMs,
  })
}

/** Changes of submissions. */
export const outboxActions = {
  hold: (queueId: string) => holdOutboxEntry(calls.api, { queueId }),
  release: (queueId: string) => releaseOutboxEntry(calls.api, { queueId }),
  send: (queueId: string) => sendOutboxEntry(calls.api, { queueId }),
  cancel: (queueId: string) => deleteOutboxEntry(calls.api, { queueId }),
}

/** Starts a new attempt of a delivery. */
export const retryDelivery = (delivery: string) => retryWebhookDelivery(calls.api, { delivery })

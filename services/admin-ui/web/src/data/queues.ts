import type {
  CreateWebhookReplayInput,
  GetWebhookReplayResult,
  ListOutboxInput,
  ListOutboxResult,
  ListWebhookDeliveriesInput,
  ListWebhookDeliveriesResult,
} from '@posthorn/client'
import {
  createWebhookReplay,
  deleteOutboxEntry,
  getWebhookReplay,
  holdOutboxEntry,
  listOutbox,
  listWebhookDeliveries,
  releaseOutboxEntry,
  retryWebhookDelivery,
  sendOutboxEntry,
} from '@posthorn/client/operations'
import { deliveriesKey, outboxKey } from './cache-keys.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

/** Submission in the list of the outbox. */
export type OutboxEntry = ListOutboxResult['messages'][number]
/** Webhook delivery in the list of deliveries. */
export type Delivery = ListWebhookDeliveriesResult['deliveries'][number]

export { deliveriesKey, outboxKey } from './cache-keys.ts'

const refreshMs = 10_000

/** Loads a page of the list of submissions in the outbox. */
export function useOutbox(input: ListOutboxInput): Load<ListOutboxResult> {
  return useLoad([...outboxKey, input], () => listOutbox(calls.api, input), {
    everyMs: refreshMs,
    topic: 'outbox',
  })
}

/** Loads a page of the list of webhook deliveries. */
export function useDeliveries(
  input: ListWebhookDeliveriesInput,
): Load<ListWebhookDeliveriesResult> {
  return useLoad([...deliveriesKey, input], () => listWebhookDeliveries(calls.api, input), {
    everyMs: refreshMs,
    topic: 'deliveries',
  })
}

/** Filter that selects the failed webhook deliveries of a replay. */
export type ReplayFilter = CreateWebhookReplayInput['body']
/** Replay of failed webhook deliveries, with its progress. */
export type Replay = GetWebhookReplayResult

/** Starts a replay of all failed webhook deliveries that match the filter. */
export const startReplay = (filter: ReplayFilter) =>
  createWebhookReplay(calls.api, { body: filter })

/** Loads the progress of a replay of webhook deliveries, until the replay has ended. */
export function useReplay(replay: string): Load<Replay> {
  return useLoad(
    [...deliveriesKey, 'replay', replay],
    () => getWebhookReplay(calls.api, { replay }),
    { everyMs: 2_000, isFinal: ({ state }) => state === 'done' },
  )
}

/** Calls that change submissions in the outbox. */
export const outboxActions = {
  hold: (queueId: string) => holdOutboxEntry(calls.api, { queueId }),
  release: (queueId: string) => releaseOutboxEntry(calls.api, { queueId }),
  send: (queueId: string) => sendOutboxEntry(calls.api, { queueId }),
  cancel: (queueId: string) => deleteOutboxEntry(calls.api, { queueId }),
}

/** Starts a new attempt of a webhook delivery. */
export const retryDelivery = (delivery: string) => retryWebhookDelivery(calls.api, { delivery })

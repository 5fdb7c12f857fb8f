import type { OperationId } from '../operations/index.ts'
import { mayCall } from './roles.ts'
import type { AdminRole } from './role-names.ts'

/**
 * Operation of the API that returns what a topic of `GET /admin/live` is about. People who may not
 * call the operation may not follow the topic.
 */
const operationOf = {
  changes: 'followChanges',
  figures: 'getStats',
  outbox: 'listOutbox',
  deliveries: 'listWebhookDeliveries',
  workers: 'listWorkers',
} as const satisfies Record<string, OperationId>

/**
 * Topic that a page follows at `GET /admin/live`.
 *
 * | topic | frames |
 * |---|---|
 * | `changes` | `changes`: accounts whose state has changed; `refresh`: load the list again |
 * | `figures` | `figures`: response of `GET /v1/stats` |
 * | `outbox`, `deliveries` | `refresh`: the numbers of submissions or webhook deliveries changed |
 * | `workers` | `workers`: response of `GET /admin/api/workers` |
 */
export type LiveTopic = keyof typeof operationOf

/** All topics of `GET /admin/live`. */
export const liveTopics = Object.keys(operationOf) as readonly LiveTopic[]

/**
 * True if people with a role at the administration pages may follow a topic of `GET /admin/live`.
 */
export function mayFollow(role: AdminRole, topic: LiveTopic): boolean {
  return mayCall(role, operationOf[topic])
}

/** Operation whose rights a topic of `GET /admin/live` needs. */
export function liveOperation(topic: LiveTopic): OperationId {
  return operationOf[topic]
}

/**
 * Reads a list of topics of `GET /admin/live`, separated by commas. Undefined if the list is empty,
 * or if one of its entries is no topic.
 */
export function parseLiveTopics(text: string): ReadonlySet<LiveTopic> | undefined {
  const names = new Set(text.split(','))
  const topics = liveTopics.filter((topic) => names.has(topic))
  return topics.length === names.size ? new Set(topics) : undefined
}

/**
 * Change of an account, or of a mail proxy if `account` is null, in a frame `changes` of `GET
 * /admin/live`.
 */
export interface LiveChange {
  account: string | null
  /** Kind of the change, as in the stream `GET /v1/changes`. */
  type: string
  /**
   * New state of the account or mail proxy that has changed. Absent for changes that are no change
   * of a state.
   */
  state?: string
}

/**
 * Data of the first frame of `GET /admin/live`, and of each frame about an outage: `event: status`.
 */
export interface LiveStatus {
  /**
   * False while api-gateway cannot be read, so that other frames of `GET /admin/live` are missing.
   */
  connected: boolean
}

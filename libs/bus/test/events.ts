import type { EventMessage } from '@posthorn/contracts/events/envelope'

/** Event message of shard (group of accounts) 3, which belongs to the queue `webhook.events.3`. */
export function event(eventId: string, more: Partial<EventMessage> = {}): EventMessage {
  const date = '2026-01-01T00:00:00.000Z'
  return { eventId, event: 'messageNew', account: 'a', shard: 3, date, ...more }
}

import type { FakeSubscription, GraphService } from './routes.ts'
import type { Json } from './json.ts'
import type { FakeMailbox, MessageEvent } from './mailbox.ts'
import { active, lifecycleOf, notificationOf } from './subscriptions.ts'

/** Faults of the delivery of Graph notifications. */
export interface NotificationFaults {
  /** True if every Graph notification is lost. */
  losesAll: boolean
  /** True if every fifth Graph notification is lost. */
  losesFifth: boolean
  /** True if every Graph notification is sent twice. */
  duplicates: boolean
  /** Number of reads after a Graph notification that do not find its message yet. */
  hiddenReads: number
}

/**
 * Maximum moved messages between two deliveries. With more, Graph sends a `missed` event instead of
 * notifications.
 */
const missedMoves = 25
const maxPerRequest = 100

/** Notifications of the Graph fake, which wait until the test sends them. */
export class FakeNotifications {
  readonly faults: NotificationFaults = {
    losesAll: false,
    losesFifth: false,
    duplicates: false,
    hiddenReads: 0,
  }
  readonly #fake: GraphService
  readonly #events: { mailbox: FakeMailbox; event: MessageEvent }[] = []
  #count = 0

  constructor(fake: GraphService) {
    this.#fake = fake
  }

  add(mailbox: FakeMailbox, event: MessageEvent): void {
    if (active(this.#fake).length === 0) return
    this.#events.push({ mailbox, event })
    const { hiddenReads } = this.faults
    const message = mailbox.messages.get(event.id)
    if (message && event.changeType === 'created') message.hiddenReads = hiddenReads
  }

  /**
   * Sends all waiting Graph notifications. A request may contain notifications of several accounts.
   * Returns the HTTP statuses of the responses.
   */
  async send(): Promise<number[]> {
    const events = this.#events.splice(0)
    if (this.faults.losesAll) return []
    const byUrl = new Map<string, Json[]>()
    for (const subscription of active(this.#fake)) {
      const own = events.filter(({ mailbox }) => mailbox === subscription.mailbox)
      if (own.filter(({ event }) => event.isMove).length > missedMoves) {
        add(byUrl, lifecycleUrl(subscription), [lifecycleOf(subscription, 'missed')])
        continue
      }
      const sent = own.flatMap(({ mailbox, event }) => this.#toSend(subscription, mailbox, event))
      add(byUrl, subscription.notificationUrl, sent)
    }
    const statuses: number[] = []
    for (const [url, all] of byUrl)
      for (let start = 0; start < all.length; start += maxPerRequest)
        statuses.push(await post(url, all.slice(start, start + maxPerRequest)))
    return statuses
  }

  /**
   * Sends a lifecycle event of Graph for all subscriptions of a mailbox, `count` times. Returns the
   * HTTP statuses of the responses.
   */
  async lifecycle(mailbox: FakeMailbox, event: string, count = 1): Promise<number[]> {
    const statuses: number[] = []
    for (const subscription of active(this.#fake).filter((each) => each.mailbox === mailbox)) {
      if (event === 'subscriptionRemoved') this.#fake.subscriptions.delete(subscription.id)
      for (let sent = 0; sent < count; sent++)
        statuses.push(await post(lifecycleUrl(subscription), [lifecycleOf(subscription, event)]))
    }
    return statuses
  }

  /**
   * Notifications that a subscription gets for an event. The arrival of a message is reported as
   * `created` and as `updated`.
   */
  #toSend(subscription: FakeSubscription, mailbox: FakeMailbox, event: MessageEvent): Json[] {
    const message = mailbox.messages.get(event.id)
    const id = subscription.immutable ? event.id : (message?.restId ?? event.id)
    const types = event.changeType === 'created' ? ['created', 'updated'] : [event.changeType]
    return types.flatMap((changeType) => {
      const isLost = this.faults.losesFifth && ++this.#count % 5 === 0
      const one = notificationOf(subscription, { changeType, id })
      if (isLost) return []
      return this.faults.duplicates ? [one, one] : [one]
    })
  }
}

function add(byUrl: Map<string, Json[]>, url: string, sent: Json[]): void {
  if (sent.length > 0) byUrl.set(url, [...(byUrl.get(url) ?? []), ...sent])
}

function lifecycleUrl({ lifecycleNotificationUrl, notificationUrl }: FakeSubscription): string {
  return lifecycleNotificationUrl ?? notificationUrl
}

async function post(url: string, value: Json[]): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  })
  await response.arrayBuffer()
  return response.status
}

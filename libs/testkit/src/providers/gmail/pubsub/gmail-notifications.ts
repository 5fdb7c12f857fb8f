import type { GmailMailbox } from '../mailbox.ts'
import type { FakePubSub } from './fake-pubsub.ts'

/** Notification that Gmail publishes. */
export interface FakeNotification {
  topic: string
  emailAddress: string
  historyId: string
}

/** Irregular notifications of Gmail. */
export interface NotificationFaults {
  /** Number of notifications that are lost from now on. */
  lost: number
  /** Every notification is published twice. */
  duplicated: boolean
  /** Notifications wait until `release`, which publishes the latest first. */
  reordered: boolean
  /** Reads of the history after a notification that do not contain its change yet. */
  ahead: number
}

/** Watch of a mailbox for one Google project. */
export interface FakeWatch {
  address: string
  topic: string
  expiresAt: number
  /** True if the watch notifies no more, although it has not expired. */
  isSilent: boolean
}

/** Watches of mailboxes and the notifications that they cause. */
export class GmailNotifications {
  readonly faults: NotificationFaults = { lost: 0, duplicated: false, reordered: false, ahead: 0 }
  /** Notifications that Gmail would publish without faults. */
  readonly all: FakeNotification[] = []
  /** One per mailbox and project: the key of a watch is both. */
  readonly watches = new Map<string, FakeWatch>()
  readonly #pubsub: FakePubSub
  readonly #held: FakeNotification[] = []

  constructor(pubsub: FakePubSub) {
    this.#pubsub = pubsub
  }

  find(address: string, project: string): FakeWatch | undefined {
    return this.watches.get(keyOf(address, project))
  }

  /** Starts or renews a watch, and publishes a notification. A silent watch stays silent. */
  start(
    { address, historyId }: GmailMailbox,
    { topic, expiresAt, ...more }: Omit<FakeWatch, 'address' | 'isSilent'> & { isSilent?: true },
  ): void {
    const key = keyOf(address, projectOf(topic))
    const isSilent = more.isSilent ?? this.watches.get(key)?.isSilent ?? false
    this.watches.set(key, { address, topic, expiresAt, isSilent })
    if (!isSilent) this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
  }

  /** Ends the watch of a project, or all of the mailbox. */
  stop(address: string, project?: string): void {
    for (const [key, watch] of this.watches)
      if (
        watch.address === address &&
        (project ?? projectOf(watch.topic)) === projectOf(watch.topic)
      )
        this.watches.delete(key)
  }

  /** Lets the watches of a mailbox fall silent until they are stopped and started again. */
  silence(address: string): void {
    for (const watch of this.watches.values()) if (watch.address === address) watch.isSilent = true
  }

  /** Notifies about the latest change of a mailbox. */
  notify(mailbox: GmailMailbox, now: number): void {
    const { address, historyId } = mailbox
    for (const { topic, isSilent, ...watch } of this.watches.values()) {
      if (watch.address !== address || watch.expiresAt <= now || isSilent) continue
      if (this.faults.ahead > 0) mailbox.hideLatest(this.faults.ahead)
      this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
    }
  }

  /** Publishes the notifications that wait, latest first. */
  release(): void {
    for (const notification of this.#held.splice(0).reverse()) this.#send(notification)
  }

  #publish(notification: FakeNotification): void {
    this.all.push(notification)
    if (this.faults.lost > 0) return void this.faults.lost--
    if (this.faults.reordered) return void this.#held.push(notification)
    this.#send(notification)
    if (this.faults.duplicated) this.#send(notification)
  }

  #send({ topic, emailAddress, historyId }: FakeNotification): void {
    // The id is a JSON number in notifications, and a string in the API.
    this.#pubsub.publish(topic, JSON.stringify({ emailAddress, historyId: Number(historyId) }))
  }
}

/** Project of a topic `projects/P/topics/T`. */
export function projectOf(topic: string): string {
  return topic.split('/')[1] ?? ''
}

function keyOf(address: string, project: string): string {
  return `${address} ${project}`
}

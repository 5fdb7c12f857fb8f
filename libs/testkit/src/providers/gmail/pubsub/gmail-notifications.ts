import type { GmailMailbox } from '../mailbox.ts'
import type { FakePubSub } from './fake-pubsub.ts'

/** Notification that Gmail publishes. */
export interface FakeNotification {
  topic: string
  emailAddress: string
  historyId: string
}

/** Faults of the notifications of Gmail. */
export interface NotificationFaults {
  /** Number of the next notifications that are lost. */
  lost: number
  /** True if every notification is published twice. */
  duplicated: boolean
  /** True if notifications wait until `release`, which publishes the latest notification first. */
  reordered: boolean
  /** Number of history reads after a notification that do not show its change yet. */
  ahead: number
}

/** Watch of a mailbox for one Google project. */
export interface FakeWatch {
  address: string
  topic: string
  expiresAt: number
  /** True if the watch no longer sends notifications, although it has not expired. */
  isSilent: boolean
}

/** Watches of mailboxes and the notifications that they cause. */
export class GmailNotifications {
  readonly faults: NotificationFaults = { lost: 0, duplicated: false, reordered: false, ahead: 0 }
  /** Notifications that Gmail would publish if there were no faults. */
  readonly all: FakeNotification[] = []
  /** Watches by their key, which consists of the mailbox and the Google project. */
  readonly watches = new Map<string, FakeWatch>()
  readonly #pubsub: FakePubSub
  readonly #held: FakeNotification[] = []

  constructor(pubsub: FakePubSub) {
    this.#pubsub = pubsub
  }

  find(address: string, project: string): FakeWatch | undefined {
    return this.watches.get(keyOf(address, project))
  }

  /**
   * Starts or renews a watch, and publishes a notification. A silent watch stays silent when it is
   * renewed.
   */
  start(
    { address, historyId }: GmailMailbox,
    { topic, expiresAt, ...more }: Omit<FakeWatch, 'address' | 'isSilent'> & { isSilent?: true },
  ): void {
    const key = keyOf(address, projectOf(topic))
    const isSilent = more.isSilent ?? this.watches.get(key)?.isSilent ?? false
    this.watches.set(key, { address, topic, expiresAt, isSilent })
    if (!isSilent) this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
  }

  /** Ends the watch of a Google project, or all watches of the mailbox. */
  stop(address: string, project?: string): void {
    for (const [key, watch] of this.watches)
      if (
        watch.address === address &&
        (project ?? projectOf(watch.topic)) === projectOf(watch.topic)
      )
        this.watches.delete(key)
  }

  /** Makes the watches of a mailbox silent until they are stopped and started again. */
  silence(address: string): void {
    for (const watch of this.watches.values()) if (watch.address === address) watch.isSilent = true
  }

  /** Publishes a notification about the latest change of a mailbox. */
  notify(mailbox: GmailMailbox, now: number): void {
    const { address, historyId } = mailbox
    for (const { topic, isSilent, ...watch } of this.watches.values()) {
      if (watch.address !== address || watch.expiresAt <= now || isSilent) continue
      if (this.faults.ahead > 0) mailbox.hideLatest(this.faults.ahead)
      this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
    }
  }

  /** Publishes the notifications that have waited, latest first. */
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
    // The history id is a JSON number in notifications, but a string in the API.
    this.#pubsub.publish(topic, JSON.stringify({ emailAddress, historyId: Number(historyId) }))
  }
}

/** Google project in the name of a topic `projects/P/topics/T`. */
export function projectOf(topic: string): string {
  return topic.split('/')[1] ?? ''
}

function keyOf(address: string, project: string): string {
  return `${address} ${project}`
}

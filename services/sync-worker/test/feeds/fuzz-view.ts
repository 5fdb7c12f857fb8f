import { applyChanges, type ValueChanges } from '@posthorn/testkit'

interface ViewedEvent {
  eventId: string
  event: string
  path?: string | undefined
  data?: unknown
}

interface EventData {
  id: string
  flags: string[]
  labels: string[]
  changes?: { flags?: ValueChanges; labels?: ValueChanges }
}

/** Message as a client knows it by the events. */
export interface ViewedMessage {
  path: string
  flags: string[]
  labels: string[]
}

/** Mailbox at the fake provider that the events are about. */
export interface MailboxTruth {
  /**
   * True if a message was deleted or moved, so that the events may report the message as deleted.
   */
  mayLeave: (id: string) => boolean
  exists: (id: string) => boolean
}

/**
 * Mailbox as seen by a client that knows only the events, while responses of the provider are
 * broken. Fails on events that no client could explain.
 */
export class FuzzView {
  readonly messages = new Map<string, ViewedMessage>()
  readonly paths = new Set<string>()
  /** Number of `messageNew` events by message. */
  readonly announcements = new Map<string, number>()
  /** First error that an event caused. Later calls throw this error again. */
  failure: unknown
  readonly #eventIds = new Set<string>()
  #applied = 0

  /**
   * Applies new events to the client's view of the mailbox. `truth` describes the mailbox itself,
   * in which messages may have been moved or deleted.
   */
  applyNew(events: readonly ViewedEvent[], truth: MailboxTruth): void {
    if (this.failure) throw this.failure
    try {
      for (const event of events.slice(this.#applied)) {
        if (this.#eventIds.has(event.eventId)) throw new Error(`repeated event id ${event.eventId}`)
        this.#eventIds.add(event.eventId)
        this.#apply(event, truth)
        this.#applied++
      }
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  /** Skips the events of the first sync, except that paths of new mailboxes are recorded. */
  skip(events: readonly ViewedEvent[]): void {
    this.#applied = events.length
    for (const { event, path = '' } of events) if (event === 'mailboxNew') this.paths.add(path)
  }

  #apply({ event, path = '', data }: ViewedEvent, truth: MailboxTruth): void {
    if (event === 'mailboxNew') this.paths.add(path)
    else if (event === 'mailboxDeleted') this.paths.delete(path)
    else if (event.startsWith('message'))
      this.#applyTo({ event, path, ...(data as EventData) }, truth)
    else throw new Error(`unexpected ${event}`)
  }

  #announce(id: string, message: ViewedMessage): void {
    if (this.messages.has(id)) throw new Error(`${id} announced twice`)
    this.announcements.set(id, (this.announcements.get(id) ?? 0) + 1)
    this.messages.set(id, message)
  }

  #applyTo(
    { event, path, id, flags, labels, changes }: EventData & { event: string; path: string },
    { mayLeave, exists }: MailboxTruth,
  ): void {
    const message = this.messages.get(id)
    if (event === 'messageNew') return this.#announce(id, { path, flags, labels })
    if (event === 'messageMissing' && !exists(id)) return
    if (message?.path !== path) throw new Error(`${event} of ${id}, not announced in ${path}`)
    if (event === 'messageUpdated') return update(message, { id, ...changes })
    if (event !== 'messageDeleted') throw new Error(`unexpected ${event} of ${id}`)
    if (!mayLeave(id)) throw new Error(`${id} announced as deleted, but exists`)
    this.messages.delete(id)
  }
}

function update(
  message: ViewedMessage,
  { id, flags, labels }: { id: string } & EventData['changes'],
): void {
  if (flags) message.flags = applyChanges(id, message.flags, flags)
  if (labels) message.labels = applyChanges(id, message.labels, labels)
}

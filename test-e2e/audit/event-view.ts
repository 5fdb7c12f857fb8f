import { applyChanges, assertSame, type ValueChanges } from '@posthorn/testkit'

/** Event of an account, as stored in Postgres and sent to webhook targets. */
export interface AuditedEvent {
  eventId: string
  event: string
  path: string | null
  data: EventData
}

interface EventData {
  id: string
  flags?: string[]
  labels?: string[]
  changes?: { flags?: ValueChanges; labels?: ValueChanges }
  seemsLikeNew?: boolean
}

/** Message as seen by a client that reads only events. */
export interface ViewedMessage {
  path: string
  flags: string[]
  labels: string[]
}

/**
 * Mailbox as seen by a client that reads only events. Fails for an event that repeats or
 * contradicts earlier events, and for a moved message that looks like a new message.
 */
export class EventView {
  readonly messages: Map<string, ViewedMessage>
  readonly mailboxes: Set<string>
  /** Ids of messages that left a mailbox. */
  readonly #left = new Set<string>()

  constructor(messages: Map<string, ViewedMessage>, mailboxes: Iterable<string>) {
    this.messages = messages
    this.mailboxes = new Set(mailboxes)
  }

  apply(event: AuditedEvent): void {
    if (event.event === 'mailboxNew' || event.event === 'mailboxDeleted') this.#applyFolder(event)
    else if (event.event === 'messageNew') this.#add(event)
    else if (event.event === 'messageDeleted') this.#remove(event)
    else if (event.event === 'messageUpdated') this.#update(event)
    else throw new Error(`unexpected ${event.event} ${JSON.stringify(event.data)}`)
  }

  #applyFolder({ event, path }: AuditedEvent): void {
    const isNew = event === 'mailboxNew'
    if (this.mailboxes.has(path ?? '') === isNew) throw new Error(`repeated ${event} of ${path}`)
    if (isNew) this.mailboxes.add(path ?? '')
    else this.mailboxes.delete(path ?? '')
  }

  #add({ data, path }: AuditedEvent): void {
    const { id, flags = [], labels = [], seemsLikeNew } = data
    if (this.messages.has(id)) throw new Error(`${id} announced twice`)
    if (this.#left.has(id) && seemsLikeNew !== false)
      throw new Error(`${id}, moved to ${path}, seems new`)
    this.messages.set(id, { path: path ?? '', flags, labels })
  }

  #remove({ data, path }: AuditedEvent): void {
    const { id, flags = [], labels = [] } = data
    const { messages } = this
    assertSame(`messageDeleted of ${id}`, { path, flags, labels }, messages.get(id))
    messages.delete(id)
    this.#left.add(id)
  }

  #update({ data: { id, changes }, path }: AuditedEvent): void {
    const message = this.messages.get(id)
    assertSame(`path of messageUpdated of ${id}`, path, message?.path)
    if (!message) return
    if (changes?.flags) message.flags = applyChanges(id, message.flags, changes.flags)
    if (changes?.labels) message.labels = applyChanges(id, message.labels, changes.labels)
  }
}

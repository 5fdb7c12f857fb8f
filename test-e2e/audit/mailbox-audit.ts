import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import type { World } from '../world.ts'
import type { AuditedMailbox, AuditedMessage } from './audited-mailbox.ts'
import { type AuditedEvent, EventView, type ViewedMessage } from './event-view.ts'

const names = [
  'messageNew',
  'messageUpdated',
  'messageDeleted',
  'messageMissing',
  'mailboxNew',
  'mailboxDeleted',
  'mailboxReset',
]

interface EventRow {
  id: string
  event_id: string
  event: string
  path: string | null
  body: string
}

/**
 * Comparison of an account with the mailbox of a provider fake: compares the events that a webhook
 * receiver got, and lists of messages. The mailbox must be synced and its events stored when the
 * comparison begins.
 */
export class MailboxAudit {
  readonly account: string
  readonly #world: World
  readonly #mailbox: AuditedMailbox
  #messages = new Map<string, AuditedMessage>()
  #folders = new Map<string, string>()
  #after = '0'
  /**
   * Received webhook bodies by event id, and the number of webhook requests that were read so far.
   */
  readonly #received = new Map<string, Buffer[]>()
  #read = 0

  private constructor(world: World, account: string, mailbox: AuditedMailbox) {
    this.#world = world
    this.account = account
    this.#mailbox = mailbox
  }

  /**
   * Begins to compare the events of an account with its mailbox, from the current state of the
   * mailbox on.
   */
  static async begin(
    world: World,
    account: string,
    mailbox: AuditedMailbox,
  ): Promise<MailboxAudit> {
    const audit = new MailboxAudit(world, account, mailbox)
    await audit.restart()
    return audit
  }

  /**
   * Begins again to compare the events of the account with its mailbox, from the current state of
   * the mailbox on.
   */
  async restart(): Promise<void> {
    this.#messages = this.#mailbox.messages()
    this.#folders = this.#mailbox.folders()
    this.#after = (await this.#stored('0')).at(-1)?.id ?? '0'
  }

  /**
   * Waits until the events since the beginning of the comparison describe all changes of the
   * mailbox. Also waits until each event was received as a webhook, and until message lists are
   * equal to the mailbox. Returns the events.
   */
  async settle({ lists = ['INBOX'] }: { lists?: readonly string[] } = {}): Promise<AuditedEvent[]> {
    let rows: EventRow[] = []
    let previous = -1
    let difference: unknown = new Error('no events were read')
    await eventually(
      async () => {
        const [row] = await this.#query<{ count: number }>(
          'select count(*)::int as count from events where account = $1 and id > $2 and event = any($3)',
          [this.account, this.#after, names],
        )
        const count = row?.count ?? 0
        const isGrowing = count !== previous
        previous = count
        // The comparison waits until no events are added, because the comparison of thousands of
        // messages takes much more CPU time than the count.
        if (isGrowing) throw new Error(`${count} events are stored, more may follow`)
        if (difference && (count === 0 || count !== rows.length)) {
          rows = await this.#stored(this.#after)
          difference = this.#difference(rows)
        }
        if (difference) throw difference
        this.#assertReceived(rows)
      },
      { timeoutMs: 150_000 },
    )
    for (const path of lists) await this.#assertListed(path)
    return rows.map(toEvent)
  }

  /**
   * Compares the stored index of an account with its mailbox at the provider fake. Expires all
   * cursors, so that sync-worker lists and compares all messages. Fails if this creates events.
   */
  async compareIndex(): Promise<void> {
    const before = (await this.#stored(this.#after)).length
    const startedAt = await this.#query<{ now: string }>('select now()::text as now')
    this.#mailbox.expire()
    const { account } = this
    const { posthorn } = this.#world
    // The account may have no sync-worker for a moment.
    await eventually(() => posthorn.syncAccount({ account, body: { sync: true } }))
    await eventually(
      async () => {
        const open = await this.#query(
          `select feed from api_feeds where account = $1
             and (stage <> 'follow' or completed_at is null or completed_at < $2::timestamptz)`,
          [this.account, startedAt[0]?.now],
        )
        if (open.length > 0) throw new Error(`${open.length} comparisons are not complete`)
      },
      { timeoutMs: 150_000 },
    )
    const events = (await this.#stored(this.#after)).slice(before)
    if (events.length > 0)
      throw new Error(`the index differs: ${JSON.stringify(events.slice(0, 5))}`)
    const [stored] = await this.#query<{ messages: number }>(
      'select messages::int from api_mailboxes where account = $1',
      [this.account],
    )
    const { size } = this.#mailbox.messages()
    if (stored?.messages !== size) throw new Error(`${stored?.messages} of ${size} are indexed`)
  }

  /**
   * Returns the error of the comparison if the events do not describe the mailbox. Undefined if
   * they do.
   */
  #difference(rows: readonly EventRow[]): unknown {
    try {
      return this.#assertDescribed(rows.map(toEvent))
    } catch (error) {
      return error
    }
  }

  #assertDescribed(events: readonly AuditedEvent[]): void {
    const describe = this.#describer()
    const before = new Map([...this.#messages].map(([id, state]) => [id, describe(state)]))
    const view = new EventView(before, this.#folders.values())
    for (const event of events) view.apply(event)
    const present = [...this.#mailbox.messages()].map(
      ([id, state]) => [id, describe(state)] as const,
    )
    assertSame('messages', textsOf(view.messages), textsOf(new Map(present)))
    assertSame('mailboxes', [...view.mailboxes], [...this.#mailbox.folders().values()])
  }

  /**
   * Returns a function that describes a message by the current path of its folder, because the
   * folder may have been renamed.
   */
  #describer(): (message: AuditedMessage) => ViewedMessage {
    const mailbox = this.#mailbox
    const present = mailbox.folders()
    return ({ folder, flags, labels }) => {
      const path = mailbox.allPath ?? present.get(folder) ?? this.#folders.get(folder) ?? folder
      return { path, flags, labels: mailbox.labelNames(labels) }
    }
  }

  #assertReceived(rows: readonly EventRow[]): void {
    const { requests } = this.#world.receiver
    for (; this.#read < requests.length; this.#read++) {
      const { headers, body } = requests[this.#read] as ReceivedRequest
      const id = String(headers['x-svc-wh-event-id'])
      this.#received.set(id, [...(this.#received.get(id) ?? []), body])
    }
    for (const { event_id: id, event, body } of rows) {
      const bodies = this.#received.get(id) ?? []
      if (bodies.length !== 1) throw new Error(`${event} ${id} received ${bodies.length} times`)
      if (bodies[0]?.toString() !== body) throw new Error(`${event} ${id} has another body`)
    }
  }

  async #assertListed(path: string): Promise<void> {
    const ids: string[] = []
    const { account } = this
    const messages = this.#world.posthorn.listMessages.all({ account, path, pageSize: 250 })
    for await (const { id } of messages) ids.push(id)
    assertSame(`list of ${path}`, ids, this.#mailbox.listed(path))
  }

  #stored(after: string): Promise<EventRow[]> {
    return this.#query<EventRow>(
      `select id::text, event_id, event, path, body from events
       where account = $1 and id > $2 and event = any($3) order by events.id`,
      [this.account, after, names],
    )
  }

  #query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.#world.database.query<Row>(text, values)
  }
}

function toEvent({ event_id: eventId, event, path, body }: EventRow): AuditedEvent {
  const { data } = JSON.parse(body) as Pick<AuditedEvent, 'data'>
  return { eventId, event, path, data }
}

function textsOf(messages: ReadonlyMap<string, ViewedMessage>): string[] {
  return [...messages].map(([id, { path, flags, labels }]) =>
    JSON.stringify([id, path, flags, labels]),
  )
}

function assertSame(name: string, actual: readonly string[], expected: readonly string[]): void {
  const [one, other] = [new Set(actual), new Set(expected)]
  const surplus = [...one].filter((text) => !other.has(text))
  const lacking = [...other].filter((text) => !one.has(text))
  if (surplus.length + lacking.length === 0 && actual.length === expected.length) return
  const shown = (texts: string[]) => `${texts.length}: ${texts.slice(0, 5).join(' ')}`
  throw new Error(`${name}: surplus ${shown(surplus)}; lacking ${shown(lacking)}`)
}

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ScriptMailbox, ScriptMessage } from './mailbox.ts'
import { writeSet } from './sequence-set.ts'

/** One client's connection, and what it has been told. */
export class ScriptSession {
  readonly id: number
  /** Commands so far, without their tags, literals included. */
  readonly received: string[] = []
  /** Who logged in. */
  user: string | undefined
  mailbox: ScriptMailbox | undefined
  readOnly = false
  idling = false
  /** What ENABLE granted. */
  readonly enabled = new Set<string>()
  /** NOTIFY: tells of other mailboxes. */
  notify = false
  /** Other mailboxes it is to be told of. */
  readonly changedMailboxes = new Set<ScriptMailbox>()
  /** The messages of the open mailbox by sequence number, as the client knows them. */
  view: ScriptMessage[] = []
  #socket: Socket
  #received: Buffer[] = []
  #size = 0
  #ended = false
  #frozen = false
  #wake: () => void = () => undefined
  #announced = 0
  readonly #notifiedRevisions = new WeakMap<ScriptMessage, number>()

  constructor(id: number, socket: Socket) {
    this.id = id
    this.#socket = socket
    this.#listen(socket)
  }

  get secure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  get ended(): boolean {
    return this.#ended
  }

  /** A line, and its end. */
  send(line: string): void {
    this.write(`${line}\r\n`)
  }

  /** Bytes, one a character, as they are. */
  write(bytes: string): void {
    if (!this.#ended && !this.#frozen) this.#socket.write(bytes, 'latin1')
  }

  /** In good order: what was written arrives. */
  close(): void {
    this.#socket.end()
  }

  /** As a connection that breaks: RST (under TLS, an end without a word). */
  reset(): void {
    if (this.#socket instanceof TLSSocket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** From now on nothing is answered, and nothing is closed: a cable that was pulled. */
  freeze(): void {
    this.#frozen = true
    this.#socket.pause()
  }

  /** STARTTLS: what comes from now on is TLS. */
  upgrade(secrets: { key: string; cert: string }): void {
    const plain = this.#socket
    plain.removeAllListeners('data')
    this.#received = []
    this.#size = 0
    const secure = new TLSSocket(plain, { isServer: true, ...secrets })
    this.#socket = secure
    this.#listen(secure)
  }

  /** The next line, without its end; undefined when the client is gone. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const all = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received)
      const end = all?.indexOf('\n') ?? -1
      if (all && end >= 0) {
        this.#setReceived(all.subarray(end + 1))
        return all.toString('latin1', 0, end).replace(/\r$/, '')
      }
      if (all) this.#setReceived(all)
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** So many bytes; undefined when the client is gone before. */
  async bytes(count: number): Promise<string | undefined> {
    while (this.#size < count) {
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const all = Buffer.concat(this.#received)
    this.#setReceived(all.subarray(count))
    return all.toString('latin1', 0, count)
  }

  /** Begins with a mailbox: all of it is known. */
  select(mailbox: ScriptMailbox, readOnly: boolean): void {
    this.mailbox = mailbox
    this.readOnly = readOnly
    this.view = [...mailbox.messages]
    this.#announced = mailbox.revision
  }

  unselect(): void {
    this.mailbox = undefined
    this.view = []
  }

  /** The client knows of this state of a message: it made it itself, or is being told by an answer. */
  markNotified(message: ScriptMessage): void {
    this.#notifiedRevisions.set(message, message.revision)
  }

  /** What is new in the open mailbox since the last time. Without `expunges` none of those (RFC 9051 §7.5.1), nor what comes after them. */
  takeNotifications(expunges = true): string[] {
    const { mailbox } = this
    if (!mailbox || mailbox.revision === this.#announced) return []
    const here = new Set(mailbox.messages)
    const gone = this.view.filter((message) => !here.has(message))
    if (gone.length > 0 && !expunges) return []
    const lines = this.#expunges(gone)
    const known = this.view.length
    this.view = [...mailbox.messages]
    if (this.view.length > known) lines.push(`* ${this.view.length} EXISTS`)
    for (const [index, message] of this.view.slice(0, known).entries()) {
      const known = Math.max(this.#announced, this.#notifiedRevisions.get(message) ?? 0)
      if (message.revision <= known) continue
      // As Gmail does when labels changed: not what, but that it did.
      const told =
        message.flagsRevision > known || !this.enabled.has('CONDSTORE')
          ? this.flagsOf(message)
          : `UID ${message.uid} MODSEQ (${message.modseq})`
      lines.push(`* ${index + 1} FETCH (${told})`)
    }
    this.#announced = mailbox.revision
    return lines
  }

  /** UID, FLAGS and, where the client cares, MODSEQ. */
  flagsOf(message: ScriptMessage): string {
    const modseq = this.enabled.has('CONDSTORE') ? ` MODSEQ (${message.modseq})` : ''
    return `UID ${message.uid} FLAGS (${[...message.flags].join(' ')})${modseq}`
  }

  #expunges(gone: readonly ScriptMessage[]): string[] {
    if (gone.length === 0) return []
    const lost = new Set(gone)
    // RFC 7162 §3.2.10: with QRESYNC one line for all.
    const lines = this.enabled.has('QRESYNC')
      ? [`* VANISHED ${writeSet(gone.map(({ uid }) => uid))}`]
      : []
    const kept: ScriptMessage[] = []
    for (const message of this.view) {
      if (!lost.has(message)) kept.push(message)
      else if (!this.enabled.has('QRESYNC')) lines.push(`* ${kept.length + 1} EXPUNGE`)
    }
    this.view = kept
    return lines
  }

  #setReceived(rest: Buffer): void {
    this.#received = rest.length > 0 ? [rest] : []
    this.#size = rest.length
  }

  #listen(socket: Socket): void {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk)
      this.#size += chunk.length
      this.#wake()
    })
    for (const event of ['end', 'close'])
      socket.once(event, () => {
        this.#ended = true
        this.#wake()
      })
  }
}

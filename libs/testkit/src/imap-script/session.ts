import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { ScriptMailbox, ScriptMessage } from './mailbox.ts'
import { writeSet } from './sequence-set.ts'

/**
 * Connection of an IMAP client to the test server, with the mailbox state that the client has been
 * notified of.
 */
export class ScriptSession {
  /**
   * IMAP commands that the test server received on a connection, without tags and with literals.
   */
  readonly received: string[] = []
  /** User who is authenticated on the IMAP connection. */
  user: string | undefined
  mailbox: ScriptMailbox | undefined
  readOnly = false
  idling = false
  /** Names of the IMAP extensions that the client enabled with ENABLE. */
  readonly enabled = new Set<string>()
  /** True if the client has requested changes of other mailboxes by NOTIFY. */
  notify = false
  /**
   * Mailboxes other than the selected mailbox with changes that the client was not notified of yet.
   */
  readonly changedMailboxes = new Set<ScriptMailbox>()
  /**
   * Messages of the selected IMAP mailbox in the order of the sequence numbers that the client
   * knows.
   */
  view: ScriptMessage[] = []
  /**
   * Number of IMAP commands since the arrival of a message that the client has not been notified
   * of.
   */
  commandsBehind = 0
  #socket: Socket
  #received: Buffer[] = []
  #size = 0
  #ended = false
  #frozen = false
  #wake: () => void = () => undefined
  #announced = 0
  readonly #notifiedRevisions = new WeakMap<ScriptMessage, number>()

  constructor(socket: Socket) {
    this.#socket = socket
    this.#listen(socket)
  }

  get secure(): boolean {
    return this.#socket instanceof TLSSocket
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Sends a line with its line end to the IMAP client. */
  send(line: string): void {
    this.write(`${line}\r\n`)
  }

  /** Sends bytes to the IMAP client, one byte per character. */
  write(bytes: string): void {
    if (!this.#ended && !this.#frozen) this.#socket.write(bytes, 'latin1')
  }

  /**
   * Sends a text to the IMAP client again and again, as fast as the client reads, until the client
   * disconnects.
   */
  flood(text: string): void {
    const socket = this.#socket
    const send = () => {
      while (!socket.destroyed && socket.write(text, 'latin1'));
    }
    socket.on('drain', send)
    send()
  }

  /** Ends the IMAP connection after all pending writes. */
  close(): void {
    this.#socket.end()
  }

  /** Resets the IMAP connection (RST). With TLS, no close_notify is sent. */
  reset(): void {
    if (this.#socket instanceof TLSSocket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  /** Stops sending and reading without closing the IMAP connection, as with an unplugged cable. */
  freeze(): void {
    this.#frozen = true
    this.#socket.pause()
  }

  /** Starts TLS on the IMAP connection after STARTTLS. */
  upgrade(secrets: { key: string; cert: string }): void {
    const plain = this.#socket
    plain.removeAllListeners('data')
    this.#received = []
    this.#size = 0
    const secure = new TLSSocket(plain, { isServer: true, ...secrets })
    this.#socket = secure
    this.#listen(secure)
  }

  /**
   * Returns the next line of the IMAP client without its line end. Undefined if the client
   * disconnected.
   */
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

  /**
   * Returns the next `count` bytes of the IMAP client. Undefined if the client disconnected before.
   */
  async bytes(count: number): Promise<string | undefined> {
    while (this.#size < count) {
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const all = Buffer.concat(this.#received)
    this.#setReceived(all.subarray(count))
    return all.toString('latin1', 0, count)
  }

  /** Selects an IMAP mailbox. The client counts as notified of the mailbox's current state. */
  select(mailbox: ScriptMailbox, readOnly: boolean): void {
    this.mailbox = mailbox
    this.readOnly = readOnly
    this.view = [...mailbox.messages]
    this.#announced = mailbox.revision
    this.commandsBehind = 0
  }

  unselect(): void {
    this.mailbox = undefined
    this.view = []
  }

  /**
   * True if the selected mailbox has new messages that the IMAP client was not notified of, and no
   * message was deleted.
   */
  get hasUnseenMessages(): boolean {
    const messages = this.mailbox?.messages ?? []
    const here = new Set(messages)
    return messages.length > this.view.length && this.view.every((message) => here.has(message))
  }

  /**
   * Records that the IMAP client knows the current state of a message, from the client's command or
   * from a reply.
   */
  markNotified(message: ScriptMessage): void {
    this.#notifiedRevisions.set(message, message.revision)
  }

  /**
   * Returns the IMAP notifications of changes in the selected mailbox since the last call. Without
   * `expunges`, stops before the first expunge (RFC 9051 §7.5.1).
   */
  takeNotifications(expunges = true): string[] {
    const { mailbox } = this
    if (!mailbox || mailbox.revision === this.#announced) return []
    const here = new Set(mailbox.messages)
    const gone = this.view.filter((message) => !here.has(message))
    if (gone.length > 0 && !expunges) return []
    const lines = this.#expunges(gone)
    const previousLength = this.view.length
    this.view = [...mailbox.messages]
    if (this.view.length > previousLength) lines.push(`* ${this.view.length} EXISTS`)
    for (const [index, message] of this.view.slice(0, previousLength).entries()) {
      const notified = Math.max(this.#announced, this.#notifiedRevisions.get(message) ?? 0)
      if (message.revision <= notified) continue
      // When labels of a message change, Gmail notifies IMAP clients only of the mod-sequence.
      const change =
        message.flagsRevision > notified || !this.enabled.has('CONDSTORE')
          ? this.flagsOf(message)
          : `UID ${message.uid} MODSEQ (${message.modseq})`
      lines.push(`* ${index + 1} FETCH (${change})`)
    }
    this.#announced = mailbox.revision
    this.commandsBehind = 0
    return lines
  }

  /** FETCH items of a message: UID, FLAGS and, if the client enabled CONDSTORE, MODSEQ. */
  flagsOf(message: ScriptMessage): string {
    const modseq = this.enabled.has('CONDSTORE') ? ` MODSEQ (${message.modseq})` : ''
    return `UID ${message.uid} FLAGS (${[...message.flags].join(' ')})${modseq}`
  }

  #expunges(gone: readonly ScriptMessage[]): string[] {
    if (gone.length === 0) return []
    const lost = new Set(gone)
    // With QRESYNC, one VANISHED line replaces all EXPUNGE lines (RFC 7162 §3.2.10).
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

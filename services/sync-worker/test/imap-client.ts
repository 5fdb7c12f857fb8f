import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { eventually } from '@posthorn/testkit'

export interface ImapUser {
  host: string
  imapPort: number
  user: string
  pass: string
}

/** Minimal mail client that changes mailboxes like another client of the user. */
export class ImapClient implements AsyncDisposable {
  readonly #socket: Socket
  readonly #lines: AsyncIterator<string>
  #tag = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  }

  static async login({ host, imapPort, user, pass }: ImapUser): Promise<ImapClient> {
    const socket = connect(imapPort, host)
    await once(socket, 'connect')
    const client = new ImapClient(socket)
    await client.#line()
    await client.run(`LOGIN "${user}" "${pass}"`)
    return client
  }

  /**
   * Runs an IMAP command and returns its untagged responses.
   * @throws if the server refuses the command
   */
  async run(command: string, literal?: string): Promise<string[]> {
    const tag = `a${++this.#tag}`
    this.#socket.write(`${tag} ${command}\r\n`)
    const untagged: string[] = []
    for (;;) {
      const line = await this.#line()
      if (line.startsWith('+') && literal !== undefined) this.#socket.write(`${literal}\r\n`)
      else if (line.startsWith(`${tag} OK`)) return untagged
      else if (line.startsWith(`${tag} `)) throw new Error(`${command}: ${line}`)
      else untagged.push(line)
    }
  }

  /**
   * Creates a mailbox. Dovecot may have created the mailbox and still respond ALREADYEXISTS, if the
   * session of a worker lists the mailboxes at the same moment.
   */
  async createMailbox(path: string): Promise<void> {
    await this.run(`CREATE ${path}`).catch((error: unknown) => {
      if (!String(error).includes('[ALREADYEXISTS]')) throw error
    })
  }

  /** Puts a message into a mailbox, as a client does with a draft. */
  async append(
    path: string,
    message: string,
    { flags = '', date }: { flags?: string; date?: Date } = {},
  ): Promise<void> {
    const when = date ? ` "${internalDate(date)}"` : ''
    await this.run(`APPEND "${path}" (${flags})${when} {${Buffer.byteLength(message)}}`, message)
  }

  /**
   * Deletes a mailbox. Dovecot 2.3 sometimes rejects the deletion while another session has
   * selected the mailbox, and may have deleted the mailbox nevertheless.
   */
  async deleteMailbox(path: string): Promise<void> {
    await eventually(() =>
      this.run(`DELETE ${path}`).catch((error: unknown) => {
        if (!/NONEXISTENT/.test(String(error))) throw error
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
    await once(this.#socket, 'close')
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the server closed the connection')
    return value
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a date as an IMAP `date-time` (RFC 9051 §9) for APPEND. */
function internalDate(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${two(date.getUTCDate())}-${months[date.getUTCMonth()] ?? ''}-${date.getUTCFullYear()}`
  return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`
}

/**
 * Variant of `eventually` for the mailbox list. Dovecot 2.3 sometimes reports an outdated list and
 * counters to a session until the list changes, so a mailbox `More…` is created now and then.
 */
export function eventuallyKnown<T>(client: ImapClient, check: () => Promise<T>) {
  let looks = 0
  return eventually(
    async () => {
      if (++looks % 20 === 0) await client.run(`CREATE More${serial++}`)
      return check()
    },
    { timeoutMs: 90_000 },
  )
}

let serial = 0

/** A small message with CRLF line ends. */
export function mail({
  subject = 'hello',
  headers = [],
  body = 'text',
}: { subject?: string; headers?: string[]; body?: string } = {}): string {
  const id = `<${Date.now()}.${++serial}@test>`
  const hasId = headers.some((header) => /^message-id:/i.test(header))
  return [
    'From: Ann <ann@example.com>',
    'To: bob@example.com',
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString()}`,
    ...(hasId ? [] : [`Message-ID: ${id}`]),
    ...headers,
    '',
    body,
    '',
  ].join('\r\n')
}

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { testDovecot } from '@posthorn/testkit'
import { imapOf, testProxy } from './proxy.ts'

const dovecot = await testDovecot()
const proxy = await testProxy()
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

/**
 * Size in bytes of the message that is relayed. Manual trials use
 * `IMAP_PROXY_TEST_BYTES=1073741824`.
 */
const bytes = Number(process.env['IMAP_PROXY_TEST_BYTES'] ?? 16 * 2 ** 20)
const lineBytes = 57
const linesAtOnce = 1_024
const pieces = Math.ceil(bytes / (linesAtOnce * 78))

/** Random lines of 76 characters for a large message, of constant total size. */
function randomLines(): string {
  return randomBytes(lineBytes * linesAtOnce)
    .toString('base64')
    .replace(/.{76}/g, '$&\r\n')
}

/** IMAP client that does not store the bytes it reads. */
class Streaming {
  readonly #socket: Socket
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
  }

  async send(text: string): Promise<void> {
    if (!this.#socket.write(text)) await once(this.#socket, 'drain')
  }

  /** Returns the next line from the IMAP proxy that matches `wanted`. */
  async line(wanted: RegExp): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\r\n')
      if (end === -1) {
        this.#rest = Buffer.concat([this.#rest, await this.#more()])
        continue
      }
      const line = this.#rest.toString('latin1', 0, end)
      this.#rest = this.#rest.subarray(end + 2)
      if (wanted.test(line)) return line
    }
  }

  async hash(size: number): Promise<string> {
    const hash = createHash('sha256')
    for (let left = size; left > 0;) {
      const piece = this.#rest.length > 0 ? this.#rest : await this.#more()
      hash.update(piece.subarray(0, left))
      this.#rest = piece.subarray(Math.min(left, piece.length))
      left -= Math.min(left, piece.length)
    }
    return hash.digest('hex')
  }

  async #more(): Promise<Buffer> {
    for (;;) {
      const piece: unknown = this.#socket.read()
      if (Buffer.isBuffer(piece)) return piece
      await once(this.#socket, 'readable')
    }
  }
}

test(
  'large message: appended and fetched unchanged',
  async () => {
    const user = dovecot.freshUser()
    await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
    ;(await proxy.open()).close()
    const socket = connect(proxy.port, '127.0.0.1')
    const client = new Streaming(socket)
    await client.send(`a LOGIN acc ${await proxy.addToken({ account: 'acc' })}\r\n`)
    await client.line(/^a OK/)

    const size = pieces * linesAtOnce * 78
    await client.send(`b APPEND INBOX {${size}}\r\n`)
    await client.line(/^\+/)
    const sent = createHash('sha256')
    for (let n = 0; n < pieces; n++) {
      const piece = randomLines()
      sent.update(piece)
      await client.send(piece)
    }
    await client.send('\r\nc SELECT INBOX\r\nd FETCH 1 BODY.PEEK[]\r\n')
    await client.line(/^b OK/)
    const announced = /\{(\d+)\}$/.exec(await client.line(/^\* 1 FETCH .*\{\d+\}$/))
    expect(Number(announced?.[1])).toBe(size)
    expect(await client.hash(size)).toBe(sent.digest('hex'))
    await client.line(/^d OK/)
    socket.destroy()
  },
  300_000 + bytes / 2_000,
)

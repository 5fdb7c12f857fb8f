import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** IMAP connection that reads at full speed and parses only the end of a reply. */
export interface ImapLine {
  /**
   * Sends an IMAP command with the tag `a`. Resolves with the number of bytes of the reply,
   * including the tagged line.
   */
  command(text: string): Promise<number>
  close(): void
}

export interface ImapAddress {
  port: number
  tls: boolean
}

/** Connects to an IMAP server. Resolves after the greeting. */
export async function openImapLine({ port, tls }: ImapAddress): Promise<ImapLine> {
  const at = { port, host: '127.0.0.1' }
  const socket: Socket = tls ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at)
  socket.setNoDelay(true)
  await reply(socket, '* ')
  return {
    command(text) {
      const replied = reply(socket, 'a ')
      socket.write(`a ${text}\r\n`)
      return replied
    },
    close: () => socket.destroy(),
  }
}

/** Counts the bytes of an IMAP reply up to the tagged line, which is the last line of the reply. */
function reply(socket: Socket, tag: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let bytes = 0
  let tail = ''
  const ended = () => reject(new Error(`closed after ${JSON.stringify(tail)}`))
  const read = (chunk: Buffer) => {
    bytes += chunk.length
    tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 600))).slice(-600)
    const last = tail.lastIndexOf('\n', tail.length - 2) + 1
    if (!tail.endsWith('\n') || !tail.startsWith(tag, last)) return
    socket.off('data', read).off('close', ended)
    if (tail.startsWith(`${tag}OK`, last)) resolve(bytes)
    else reject(new Error(tail.slice(last)))
  }
  socket.on('data', read).once('close', ended)
  void once(socket, 'error').catch(reject)
  return promise
}

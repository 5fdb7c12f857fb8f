import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { ConnectOptions } from '../src/mail-session.ts'
import { quietLogger } from './quiet-logger.ts'

/** Received command. */
export interface Command {
  tag: string
  name: string
  rest: string
  socket: Socket
}

/**
 * Returns the lines of the response; `{tag}` is replaced by the tag. Undefined if the script
 * responds itself or never.
 */
export type Reply = (command: Command) => string[] | undefined

export interface ScriptedServer {
  options: ConnectOptions
  /** Names and arguments of the commands so far. */
  received: string[]
  close(): Promise<void>
}

const done = ['{tag} OK done']

const usual: Record<string, Reply> = {
  CAPABILITY: () => ['* CAPABILITY IMAP4rev1', ...done],
  LOGIN: () => done,
  NAMESPACE: () => ['* NAMESPACE (("" "/")) NIL NIL', ...done],
  LIST: ({ rest }) => [
    rest === '"" ""' ? '* LIST (\\Noselect) "/" ""' : '* LIST () "/" INBOX',
    ...done,
  ],
  LSUB: () => done,
  SELECT: () => [
    '* 3 EXISTS',
    '* FLAGS (\\Seen)',
    '* OK [UIDVALIDITY 7] ok',
    '* OK [UIDNEXT 4] ok',
    ...done,
  ],
  NOOP: () => done,
  LOGOUT: () => ['* BYE bye', ...done],
}

/** IMAP server with scripted responses, and default responses to other commands. */
export async function scriptedServer(
  replies: Record<string, Reply> = {},
  greeting = '* OK ready',
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const received: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.setNoDelay(true)
    socket.write(`${greeting}\r\n`)
    let buffered = ''
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (buffered + text).split('\r\n')
      buffered = lines.pop() ?? ''
      for (const line of lines) reply(line, socket)
    })
  })

  function reply(line: string, socket: Socket): void {
    received.push(line.replace(/^\S+ (?=\S)/, ''))
    const [, tag = '', name = '', rest = ''] = /^(\S+) ?((?:UID )?\S*) ?(.*)$/i.exec(line) ?? []
    const find = line === 'DONE' ? replies['DONE'] : (replies[name] ?? usual[name])
    const lines = find
      ? find({ tag, name, rest, socket })
      : line === 'DONE'
        ? undefined
        : ['{tag} BAD unknown']
    for (const each of lines ?? []) socket.write(`${each.replace('{tag}', tag)}\r\n`)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    options: {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      secure: false,
      credentials: { user: 'me', pass: 'secret' },
      log: quietLogger(),
      connectTimeoutMs: 60_000,
    },
    async close() {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

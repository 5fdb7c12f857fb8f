import { AppError } from '@posthorn/errors'
import type { AppendedMessage, AppendOptions } from '../backend.ts'
import type { ImapConnection } from './connection.ts'
import { commandMs } from './connection.ts'
import { assertFlag } from './flags.ts'
import { pathOf } from './mailbox-commands.ts'

/** A line that is slower than this is none. */
const bytesPerMs = 32
const lf = 10
const cr = 13

/** APPEND (RFC 9051 §6.3.12). Lines end as RFC 5322 §2.3 has it, whatever they ended with: some servers refuse others, some store them. */
export async function appendMessage(
  connection: ImapConnection,
  path: string,
  { content, flags = [], internalDate }: AppendOptions & { content: Buffer },
): Promise<AppendedMessage> {
  flags.forEach(assertFlag)
  const message = withCrLf(content)
  const timeoutMs = commandMs + message.length / bytesPerMs
  return await connection.call(
    async (client) => {
      assertFits(message.length, client.capabilities.get('APPENDLIMIT'))
      const destination = pathOf(client, path)
      const stored = await client.append(destination, message, [...flags], internalDate)
      if (!stored) throw connection.rejection('store the message')
      const { uid, uidValidity, seq } = stored
      return {
        path: destination,
        // Without a UIDVALIDITY it was guessed from its place, where another may have come in between.
        ...(uid && uidValidity ? { uid, uidValidity } : {}),
        ...(seq ? { seq } : {}),
      }
    },
    undefined,
    timeoutMs,
  )
}

/** RFC 7889: refused here as it would be there, without sending it all. */
function assertFits(bytes: number, limit: boolean | number | undefined): void {
  if (typeof limit !== 'number' || bytes <= limit) return
  const response = `The mail server takes messages of at most ${limit} bytes`
  throw new AppError('rejected', response, { code: 'TOOBIG', extras: { info: { response } } })
}

/** The message with a CR before every LF: the same bytes where it is so already. */
export function withCrLf(message: Buffer): Buffer {
  let missing = 0
  for (let at = message.indexOf(lf); at !== -1; at = message.indexOf(lf, at + 1))
    if (message[at - 1] !== cr) missing++
  if (missing === 0) return message
  const whole = Buffer.allocUnsafe(message.length + missing)
  let from = 0
  let to = 0
  for (let at = message.indexOf(lf); at !== -1; at = message.indexOf(lf, at + 1)) {
    if (message[at - 1] === cr) continue
    to += message.copy(whole, to, from, at)
    whole[to++] = cr
    from = at
  }
  message.copy(whole, to, from)
  return whole
}

import type { ImapConnection } from './connection.ts'
import { internalsOf } from './imapflow-internals.ts'
import type { Line, LineHandler, Token } from './tokens.ts'

/** So long a command line may get: RFC 7162 §4 has servers take 8,192 octets. */
export const maxLineLength = 7_800

/**
 * Gives a command of our own, for whoever holds the lane, when IDLE has ended. The tagged answer, which is OK; everything else is thrown
 * as imapflow does.
 */
export async function execCommand(
  { client, wire }: ImapConnection,
  [command, ...args]: readonly [string, ...(Token | string)[]],
  untagged: Record<string, LineHandler> = {},
): Promise<Line> {
  const { preCheck } = internalsOf(client)
  if (preCheck) await preCheck()
  const { response, next } = await wire.exec(command, args.length > 0 ? args : false, { untagged })
  next()
  return response
}

/** The response code of an answer, such as `[MAILBOXID (1)]`, as its pieces. */
export function responseCode({ attributes = [] }: Line): readonly Token[] {
  const [first] = attributes
  return (first && !Array.isArray(first) && first.section) || []
}

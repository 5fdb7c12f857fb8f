import type { ImapConnection } from './connection.ts'
import { internalsOf } from './imapflow-internals.ts'
import type { Line, LineHandler, Token } from './tokens.ts'

/** Maximum length of a command line. Servers accept 8,192 octets (RFC 7162 §4). */
export const maxLineLength = 7_800

/**
 * Ends IDLE and sends a command. Returns the tagged OK, throws errors of imapflow. The caller must
 * hold the mutex.
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

/** Tokens of the response code, such as `[MAILBOXID (1)]`. */
export function responseCode({ attributes = [] }: Line): readonly Token[] {
  const [first] = attributes
  return (first && !Array.isArray(first) && first.section) || []
}

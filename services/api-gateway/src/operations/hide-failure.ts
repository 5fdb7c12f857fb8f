import type { LastError } from '@posthorn/contracts/schemas/account'
import type { OutboxError } from '@posthorn/db'
import { unusableServer } from '../accounts/probe-without-details.ts'
import type { Caller } from '../access/caller.ts'

/*
 * A token that is bound to an account, or has a permissions record, may choose mail servers. It
 * reads replies of servers, but not why a connection failed: that would show which ports of the
 * operator's network are open.
 */

type Reader = Pick<Caller, 'token'>

/** Codes of the network, TLS, parser and egress policy. Others name a cause inside this system. */
const connectionCode = /^(?:[A-Z][A-Z0-9_]*|ParserError\w*|ConnectionError)$/

/** Last error of an account, as far as the caller may read it. */
export function visibleLastError(lastError: LastError | null, reader: Reader): LastError | null {
  if (!lastError || !isLimited(reader) || hasReply(lastError)) return lastError
  return { response: unusableServer.error, serverResponseCode: unusableServer.code }
}

/** A reply of the server differs from the text of the error, so both are stored. */
function hasReply({ description, serverResponseCode: code, tokenRequest }: LastError): boolean {
  if (description !== undefined || tokenRequest) return true
  return code === 'AUTHENTICATIONFAILED' || (code !== undefined && !connectionCode.test(code))
}

/** Failure of a sending attempt, as far as the caller may read it. */
export function visibleFailure(failure: OutboxError | null, reader: Reader): OutboxError | null {
  const { command = '', responseCode } = failure ?? {}
  if (responseCode !== undefined || !isLimited(reader)) return failure
  return ['CONN', 'EHLO'].includes(command)
    ? { message: unusableServer.error, code: unusableServer.code }
    : failure
}

function isLimited({ token }: Reader): boolean {
  return token !== null && (token.account !== null || Boolean(token.permissions))
}

import type { Reference, ReferenceResult } from '@posthorn/contracts'
import { messageNotFound } from './read-original.ts'

/** What an answer says of the message that was referred to. */
export function referenceResult({ message, threadId }: Reference, found: boolean): ReferenceResult {
  return {
    ...(message === undefined ? {} : { message }),
    ...(threadId === undefined ? {} : { threadId }),
    success: found,
    ...(found ? {} : { error: messageNotFound().message }),
  }
}

import type { Reference, ReferenceResult } from '@posthorn/contracts'
import { isMissing } from './read-original.ts'

/** What an answer says of the message that was referred to. */
export function outcomeOf({ message, threadId }: Reference, found: boolean): ReferenceResult {
  return {
    ...(message === undefined ? {} : { message }),
    ...(threadId === undefined ? {} : { threadId }),
    success: found,
    ...(found ? {} : { error: isMissing().message }),
  }
}

import type { Operation } from '../define.ts'
import * as accounts from './accounts.ts'
import * as mailboxes from './mailboxes.ts'
import * as messages from './messages.ts'
import * as settings from './settings.ts'
import * as submissions from './submissions.ts'
import * as tokens from './tokens.ts'

/** Every operation of the REST API, by id. */
export const operations = {
  ...accounts,
  ...mailboxes,
  ...messages,
  ...settings,
  ...submissions,
  ...tokens,
}
export type OperationId = keyof typeof operations
export const allOperations: readonly Operation[] = Object.values(operations)

import { changeCases } from './conformance/changes.ts'
import { connectingCases } from './conformance/connecting.ts'
import { downloadCases } from './conformance/downloads.ts'
import { flagCases } from './conformance/flags.ts'
import { mailboxCommandCases } from './conformance/mailbox-commands.ts'
import { mailboxCases } from './conformance/mailboxes.ts'
import { messageCases } from './conformance/messages.ts'
import { movingCases } from './conformance/moving.ts'
import { searchCases } from './conformance/searching.ts'
import { watchCases } from './conformance/watching.ts'
import type { TestEnvironment } from './environment.ts'

/** Conformance tests that every IMAP server must pass. Called at the top level of a test file. */
export function conformanceSuite(environment: TestEnvironment): void {
  connectingCases(environment)
  mailboxCases(environment)
  changeCases(environment)
  messageCases(environment)
  searchCases(environment)
  flagCases(environment)
  mailboxCommandCases(environment)
  movingCases(environment)
  downloadCases(environment)
  watchCases(environment)
}

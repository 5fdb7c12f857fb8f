import { changeCases } from './conformance/changes.ts'
import { connectingCases } from './conformance/connecting.ts'
import { downloadCases } from './conformance/downloads.ts'
import { flagCases } from './conformance/flags.ts'
import { folderCases } from './conformance/mailbox-commands.ts'
import { mailboxCases } from './conformance/mailboxes.ts'
import { messageCases } from './conformance/messages.ts'
import { movingCases } from './conformance/moving.ts'
import { searchCases } from './conformance/searching.ts'
import { watchCases } from './conformance/watching.ts'
import type { Stage } from './stage.ts'

/** Requirements for every mail server, as tests. Called at the top of a test file. */
export function conformanceSuite(stage: Stage): void {
  connectingCases(stage)
  mailboxCases(stage)
  changeCases(stage)
  messageCases(stage)
  searchCases(stage)
  flagCases(stage)
  folderCases(stage)
  movingCases(stage)
  downloadCases(stage)
  watchCases(stage)
}

import { deleteMailbox, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onDeleteMailbox(deps: AskDeps) {
  return handle(operations.deleteMailbox, async (input) => {
    const { account } = input.params
    return askWorker(deps, input, [deleteMailbox, { account, path: input.query.path }])
  })
}

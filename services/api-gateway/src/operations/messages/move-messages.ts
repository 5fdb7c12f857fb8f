import { moveMessages, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onMoveMessages(deps: AskDeps) {
  return handle(operations.moveMessages, async (input) => {
    const { account } = input.params
    const { search, path: destination } = input.body
    return askWorker(deps, input, [
      moveMessages,
      { account, path: input.query.path, search, destination },
    ])
  })
}

import { moveMessage, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onMoveMessage(deps: AskDeps) {
  return handle(operations.moveMessage, async (input) => {
    const { path } = input.body
    return askWorker(deps, input, [moveMessage, { ...input.params, path }])
  })
}

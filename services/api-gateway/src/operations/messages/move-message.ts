import { moveMessage, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onMoveMessage(deps: WorkerDeps) {
  return handle(operations.moveMessage, async (input) => {
    const { path } = input.body
    return callWorker(deps, input, [moveMessage, { ...input.params, path }])
  })
}

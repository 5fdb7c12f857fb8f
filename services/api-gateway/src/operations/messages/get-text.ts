import { getText, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onGetText(deps: WorkerDeps) {
  return handle(operations.getText, async (input) => {
    const { textType = '*', documentStore: _none, ...asked } = input.query
    return callWorker(deps, input, [getText, { ...input.params, textType, ...asked }])
  })
}

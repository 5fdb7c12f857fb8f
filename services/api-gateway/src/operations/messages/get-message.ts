import { getMessage, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onGetMessage(deps: AskDeps) {
  return handle(operations.getMessage, async (input) => {
    // Safe HTML is always prepared: there is nothing left to ask for.
    const { preProcessHtml: _always, ...asked } = input.query
    return askWorker(deps, input, [getMessage, { ...input.params, ...asked }])
  })
}

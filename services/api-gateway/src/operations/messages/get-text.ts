import { getText, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onGetText(deps: AskDeps) {
  return handle(operations.getText, async (input) => {
    const { textType = '*', documentStore: _none, ...asked } = input.query
    return askWorker(deps, input, [getText, { ...input.params, textType, ...asked }])
  })
}

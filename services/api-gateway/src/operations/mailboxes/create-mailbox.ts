import { createMailbox, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'
import { assertLength } from './path-length.ts'

export function onCreateMailbox(deps: AskDeps) {
  return handle(operations.createMailbox, async (input) => {
    const { path } = input.body
    assertLength('path', path)
    return askWorker(deps, input, [createMailbox, { account: input.params.account, path }])
  })
}

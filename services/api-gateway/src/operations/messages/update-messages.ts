import { operations, updateMessages } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'
import { assertUpdate } from './assert-update.ts'

export function onUpdateMessages(deps: WorkerDeps) {
  return handle(operations.updateMessages, async (input) => {
    const { account } = input.params
    assertUpdate(input.body.update, 'update.')
    return callWorker(deps, input, [
      updateMessages,
      { account, path: input.query.path, ...input.body },
    ])
  })
}

import { operations, updateMessages } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'
import { assertUpdate } from './assert-update.ts'

export function onUpdateMessages(deps: AskDeps) {
  return handle(operations.updateMessages, async (input) => {
    const { account } = input.params
    assertUpdate(input.body.update, 'update.')
    return askWorker(deps, input, [
      updateMessages,
      { account, path: input.query.path, ...input.body },
    ])
  })
}

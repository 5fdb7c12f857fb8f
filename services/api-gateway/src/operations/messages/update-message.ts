import { operations, updateMessage } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'
import { assertUpdate } from './assert-update.ts'

export function onUpdateMessage(deps: AskDeps) {
  return handle(operations.updateMessage, async (input) => {
    const { body: update } = input
    assertUpdate(update)
    return askWorker(deps, input, [updateMessage, { ...input.params, update }])
  })
}

import { operations, updateMessage } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'
import { assertUpdate } from './assert-update.ts'

export function onUpdateMessage(deps: WorkerDeps) {
  return handle(operations.updateMessage, async (input) => {
    const { body: update } = input
    assertUpdate(update)
    return callWorker(deps, input, [updateMessage, { ...input.params, update }])
  })
}

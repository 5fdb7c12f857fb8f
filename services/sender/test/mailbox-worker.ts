import { connectBus, on } from '@posthorn/bus'
import {
  changeOutbox,
  type CommandRequest,
  type CommandResponse,
  fileSent,
  findSent,
  shardOf,
} from '@posthorn/contracts'
import { createLogger, createMetrics } from '@posthorn/telemetry'

type Filed = CommandResponse<typeof fileSent>

export interface WorkerPart {
  file?: (request: CommandRequest<typeof fileSent>) => Promise<Filed>
  find?: (request: CommandRequest<typeof findSent>) => Promise<boolean>
}

/** The sync-worker's part of sending, and the gateway's: on a broker of a test's own. */
export async function mailboxWorker(url: string) {
  const log = createLogger('test', 'silent')
  const bus = await connectBus({ url, name: 'test', log, metrics: createMetrics('test') })
  const part: WorkerPart = {}
  const asked = { file: [] as CommandRequest<typeof fileSent>[], find: [] as string[] }
  const server = await bus.serve({
    queue: 'private',
    handlers: [
      on(fileSent, async (request) => {
        asked.file.push(request)
        return part.file ? part.file(request) : { path: 'Sent', skipped: [] }
      }),
      on(findSent, async (request) => {
        asked.find.push(request.messageId)
        return { found: part.find ? await part.find(request) : false }
      }),
    ],
  })
  await bus.whenUp()
  return {
    bus,
    part,
    asked,
    /** Holds the account's shard from now on. */
    hold: (account: string) => server.bind(`shard.${shardOf(account)}`),
    leave: (account: string) => server.unbind(`shard.${shardOf(account)}`),
    change: (queueId: string, action: CommandRequest<typeof changeOutbox>['action']) =>
      bus
        .request(changeOutbox, { queueId, action }, { key: 'outbox', timeoutMs: 30_000 })
        .then(({ result }) => result),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  }
}

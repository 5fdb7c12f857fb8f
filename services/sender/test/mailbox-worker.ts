import { connectBus, on } from '@posthorn/bus'
import { fileSent, findSent } from '@posthorn/contracts/commands/filing'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import type { CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import { shardOf } from '@posthorn/contracts/shards'
import { createLogger, createMetrics } from '@posthorn/telemetry'

type FilingResult = CommandResponse<typeof fileSent>

/**
 * Replies of the stand-in for the sync-worker. By default every message is filed and no message is
 * found.
 */
export interface WorkerReplies {
  file?: (request: CommandRequest<typeof fileSent>) => Promise<FilingResult>
  find?: (request: CommandRequest<typeof findSent>) => Promise<boolean>
}

/** Stand-in for sync-worker and api-gateway: files messages and sends outbox commands. */
export async function mailboxWorker(url: string) {
  const log = createLogger('test', 'silent')
  const bus = await connectBus({ url, name: 'test', log, metrics: createMetrics('test') })
  const replies: WorkerReplies = {}
  const requests = { file: [] as CommandRequest<typeof fileSent>[], find: [] as string[] }
  const server = await bus.serve({
    queue: 'private',
    handlers: [
      on(fileSent, async (request) => {
        requests.file.push(request)
        return replies.file ? replies.file(request) : { path: 'Sent', skipped: [] }
      }),
      on(findSent, async (request) => {
        requests.find.push(request.messageId)
        const isFound = replies.find ? await replies.find(request) : false
        return { found: isFound }
      }),
    ],
  })
  await bus.whenUp()
  return {
    bus,
    replies,
    requests,
    /** Serves the account's shard (group of accounts) from now on. */
    serve: (account: string) => server.bind(`shard.${shardOf(account)}`),
    stopServing: (account: string) => server.unbind(`shard.${shardOf(account)}`),
    change: (queueId: string, action: CommandRequest<typeof changeOutbox>['action']) =>
      bus
        .request(changeOutbox, { queueId, action }, { key: 'outbox', timeoutMs: 30_000 })
        .then(({ result }) => result),
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  }
}

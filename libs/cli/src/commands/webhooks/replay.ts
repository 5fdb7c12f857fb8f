import { setTimeout as delay } from 'node:timers/promises'
import type { CreateWebhookReplayResult } from '@posthorn/client'
import { UsageError } from '../../exit-codes.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { filterOf } from './filter.ts'

/** Interval at which a waiting command reads the progress of a replay of webhook deliveries. */
const pollMs = 500

/** Command that replays one failed webhook delivery. */
export const retryDelivery: RunCommand = async (context, [delivery = ''], options) => {
  const client = await context.posthorn()
  const replay = await client.retryWebhookDelivery({ delivery }, { signal: context.signal })
  await printReplay(context, replay, options['wait'] === true)
}

/** Command that replays all failed webhook deliveries that match the options. */
export const replayDeliveries: RunCommand = async (context, _args, options) => {
  const filter = filterOf(options)
  if (Object.keys(filter).length === 0 && options['all'] !== true)
    throw new UsageError(
      'no filter: pass a filter such as --event, or --all to replay all deliveries',
    )
  const client = await context.posthorn()
  const replay = await client.createWebhookReplay({ body: filter }, { signal: context.signal })
  await printReplay(context, replay, options['wait'] === true)
}

/**
 * Prints a replay of webhook deliveries. With `isWaiting`, shows the progress and prints the replay
 * when it has ended.
 */
async function printReplay(
  context: CommandContext,
  replay: CreateWebhookReplayResult,
  isWaiting: boolean,
): Promise<void> {
  const { output, posthorn, progress, signal } = context
  const client = await posthorn()
  let current = replay
  while (isWaiting && current.state !== 'done') {
    progress.show(`replayed ${current.replayed} of ${current.total ?? '?'} deliveries`)
    await delay(pollMs, undefined, { signal })
    current = await client.getWebhookReplay({ replay: replay.id }, { signal })
  }
  progress.clear()
  const { id, state, replayed } = current
  const text = state === 'done' ? `replayed ${replayed} deliveries` : `replay ${id} is ${state}`
  await output.result(current, text)
}

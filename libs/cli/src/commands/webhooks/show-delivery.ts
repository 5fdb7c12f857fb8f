import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'

/** Command that prints a webhook delivery with its body, its attempts and its replays. */
export const showDelivery: RunCommand = async ({ posthorn, output, signal }, [id = '']) => {
  const client = await posthorn()
  const delivery = await client.getWebhookDelivery({ delivery: id }, { signal })
  const { log, payload, replays } = delivery
  await output.result(delivery, [
    `delivery   ${delivery.id}`,
    `event      ${delivery.event} ${delivery.eventId}`,
    `account    ${delivery.account}`,
    `target     ${delivery.target}, ${delivery.address}`,
    `state      ${delivery.state} after ${delivery.attempts} attempts`,
    ...lineOf('queued', localTime(delivery.queuedAt)),
    ...lineOf('next', localTime(delivery.nextAttemptAt)),
    ...lineOf('finished', localTime(delivery.finishedAt)),
    ...lineOf('outcome', delivery.lastStatus ?? delivery.lastOutcome),
    ...lineOf('error', delivery.lastError),
    ...lineOf('response', delivery.lastResponse),
    ...lineOf('replay of', delivery.replayOf),
    ...lineOf('replays', replays.join(', ')),
    ...log.map(
      ({ attempt, endedAt, durationMs, status, outcome, error }) =>
        `attempt ${attempt}  ${localTime(endedAt)}  ${durationMs} ms  ${status ?? outcome}  ${error ?? ''}`,
    ),
    ...(payload === null
      ? ['body       deleted after its retention period']
      : ['body', ...JSON.stringify(payload, null, 2).split('\n')]),
  ])
}

function lineOf(name: string, value: string | number | null | undefined): string[] {
  return value === null || value === undefined || value === ''
    ? []
    : [`${name.padEnd(10)} ${value}`]
}

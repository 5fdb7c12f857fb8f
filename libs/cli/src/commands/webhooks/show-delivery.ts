import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'

/** Prints a webhook delivery with its body, its attempts and its replays. */
export const showDelivery: RunCommand = async ({ posthorn, output, signal }, [delivery = '']) => {
  const client = await posthorn()
  const found = await client.getWebhookDelivery({ delivery }, { signal })
  const { log, payload, replays } = found
  await output.result(found, [
    `delivery   ${found.id}`,
    `event      ${found.event} ${found.eventId}`,
    `account    ${found.account}`,
    `target     ${found.target}, ${found.address}`,
    `state      ${found.state} after ${found.attempts} attempts`,
    ...lineOf('queued', localTime(found.queuedAt)),
    ...lineOf('next', localTime(found.nextAttemptAt)),
    ...lineOf('finished', localTime(found.finishedAt)),
    ...lineOf('outcome', found.lastStatus ?? found.lastOutcome),
    ...lineOf('error', found.lastError),
    ...lineOf('response', found.lastResponse),
    ...lineOf('replay of', found.replayOf),
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

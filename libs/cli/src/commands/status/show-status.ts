import type { RunCommand } from '../../program/command.ts'

/**
 * Command `status`: prints the statistics of the installation. Does not wait for a server that is
 * unavailable.
 */
export const showStatus: RunCommand = async ({ posthorn, output, connection, signal }) => {
  const stats = await (await posthorn({ retryForMs: 0 })).getStats({}, { signal })
  const { url } = await connection()
  const states = Object.entries(stats.connections).filter(([, count]) => count > 0)
  const queues = Object.entries(stats.queues)
  await output.result(stats, [
    `server     ${url}, Posthorn ${stats.version}`,
    `accounts   ${[stats.accounts, ...states.map(([state, count]) => `${count} ${state}`)].join(', ')}`,
    ...queues.map(
      ([name, { waiting, active, delayed, failed }]) =>
        `${name.padEnd(10)} ${waiting} waiting, ${active} active, ${delayed} delayed, ${failed} failed`,
    ),
    `postgres   ${stats.postgres}, ${stats.postgresPing} ms`,
    `rabbitmq   ${stats.rabbitmq ? 'connected' : 'not connected'}`,
  ])
}

import { ConfigError, type Env, list } from '@posthorn/config'
import type { MailPorts } from '@posthorn/net/ports'
import type { ServiceConfig } from './service-config.ts'

const name = 'SVC_MAIL_ALLOWED_TARGETS'

/**
 * Reads the ports that mail connections may use: ports and `host:port` in
 * `SVC_MAIL_ALLOWED_TARGETS`. Mail connections to the ports of Postgres, RabbitMQ and the service
 * itself are rejected.
 */
export function readMailPorts(env: Env, service: ServiceConfig): MailPorts {
  const { databaseUrl, amqpUrl, port } = service
  const entries = (list(env, name) ?? []).map(readTarget)
  const own = [databaseUrl, amqpUrl].map((address) => Number(URL.parse(address)?.port ?? 0))
  return {
    allowed: entries.filter(({ host }) => host === '').map((entry) => entry.port),
    allowedTargets: entries
      .filter(({ host }) => host !== '')
      .map((entry) => `${entry.host}:${entry.port}`),
    // Port 0 is left out of the rejected ports, because 0 stands for a default port, which is
    // rejected anyway, or for a port that the operating system chooses.
    own: [...own, port].filter((each) => each !== 0),
  }
}

function readTarget(text: string): { host: string; port: number } {
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[3] ?? 0)
  if (port < 1 || port > 65_535)
    throw new ConfigError(name, `must be ports and host:port, comma-separated, got "${text}"`)
  return { host: (match?.[1] ?? match?.[2] ?? '').toLowerCase(), port }
}

import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { SchemaDifference } from '@posthorn/db'

/**
 * Difference between the clocks of Postgres and of this process from which times in the API are
 * visibly wrong.
 */
const maxSkewMs = 2_000

/** Reading of the Postgres clock between two readings of the clock of this process. */
export interface ClockReading {
  startedAt: number
  postgresAt: number
  endedAt: number
}

export interface SystemState {
  schema: SchemaDifference
  clock: ClockReading
  /** True if this process is connected to RabbitMQ. */
  rabbitmq: boolean
}

/**
 * Findings about the database schema, the connection to RabbitMQ, and the clocks of Postgres and of
 * this process.
 */
export function systemFindings({ schema, clock, rabbitmq }: SystemState): Finding[] {
  const findings = [...schemaFindings(schema), ...clockFindings(clock)]
  return rabbitmq ? findings : [...findings, rabbitmqDown]
}

function schemaFindings({ missing, newer }: SchemaDifference): Finding[] {
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push({
      id: 'schemaBehind',
      level: 'error',
      title: 'The database schema is older than this release',
      detail: `Database migrations of this release that were not applied: ${listed(missing)}.`,
      remedy: 'Run migrate of this release.',
      count: missing.length,
    })
  if (newer.length > 0)
    findings.push({
      id: 'schemaAhead',
      level: 'info',
      title: 'The database schema is newer than this api-gateway',
      detail: `Database migrations of a newer release: ${listed(newer)}. An older release runs with them, which is normal during an upgrade.`,
      remedy: 'Complete the upgrade: replace all services by the newer release.',
      count: newer.length,
    })
  return findings
}

/** Maximum number of database migrations that a finding names. */
const maxNamed = 5

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  return [...names.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/**
 * Finding about a difference between the clocks of Postgres and of this process. The clock of
 * Postgres was read at an unknown moment of the query, so the duration of the query is no
 * difference.
 */
function clockFindings({ startedAt, postgresAt, endedAt }: ClockReading): Finding[] {
  const skewMs = postgresAt > endedAt ? postgresAt - endedAt : Math.min(0, postgresAt - startedAt)
  if (Math.abs(skewMs) <= maxSkewMs) return []
  const seconds = Math.round(Math.abs(skewMs) / 1_000)
  return [
    {
      id: 'clockSkew',
      level: 'warning',
      title: 'The clocks of Postgres and api-gateway differ',
      detail: `The clock of Postgres is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of this api-gateway. Expiry times of tokens and links, and times of scheduled messages, are wrong by this difference.`,
      remedy: 'Synchronise the clocks of all hosts by NTP.',
    },
  ]
}

const rabbitmqDown: Finding = {
  id: 'rabbitmqDown',
  level: 'error',
  title: 'api-gateway is not connected to RabbitMQ',
  detail:
    'Requests for mail fail. Submissions and events are stored, and processed later than usual.',
  remedy: 'Check that RabbitMQ runs and that AMQP_URL of api-gateway is correct.',
}
